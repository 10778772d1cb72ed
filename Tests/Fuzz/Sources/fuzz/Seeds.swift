/// Keys to mutate, made for this and used nowhere else.
enum Seeds {
    static let privateKeys = [
        #"{"kty":"EC","kid":"P-256","crv":"P-256","x":"OdazGLKXAN5o_kOb3bUQRCJr_pPMfcz9BhFUsPemylc","y":"izMf3SU2S5_Zzy0-UX6KfQGIZMECrhjTpwL6OsYdcz0","d":"LEYGp_FftW-YfX_UEuqi5Mq3aaGjg2Y3waGrWHoiZx8"}"#,
        #"{"kty":"EC","kid":"P-384","crv":"P-384","x":"Mq6mG4c-kdbGERn7MnYW1Easdn4uj5ZPc4WUskrKd1OGFWOyRZDg0gQeYH4BHVfQ","y":"e_527dnMiWazj2g2g6xBWlNnL5dx2d-gNe7aEXMAYyngfcwWjce9-46-eRTY51tb","d":"ILGljtaHdbqHqJpAMsefU1HY8ptWx_5CTfCmRd9hq9P71I9sOaL5_DJbni-6O0rf"}"#,
        #"{"kty":"EC","kid":"P-521","crv":"P-521","x":"ADY8HtPBjr866sHSQResWQhBHYHig5ntS95ogmIQ8cXurJTdySLueKrurtCgSG2nUHpTxzY8wVHGELFnaXBkyQyL","y":"AJPNF9q2rHPmzvWTKrRsG8ZKHmf4xXvjBCKkiWvwqvOuL_jI8yx1UQZS1nZdsTCobBkNIhurVgrVVVfchKH5ZuAx","d":"AbwLtD_HapU9I14ou6Q8B7vsj8xuHh0G_Fb8ghvh1CVAh1jH25keHMBUKSlZ1-1HXBuJuEAjeiaidrRQvvDo9SYW"}"#,
        #"{"kty":"OKP","kid":"Ed25519","crv":"Ed25519","x":"woExGvRDNDdpws6sr7_1Uosf9Di1e__LJzLnvjvAN70","d":"TGT33-lnOVSCs8BQU3FVSYzJVa3W-cWstGJvsvHoRww"}"#,
        #"{"kty":"OKP","kid":"X25519","crv":"X25519","x":"nfIi5cPs6H_xS3grcFQMTjM5xjVKO2xaF07omeBpznk","d":"Gt84DhSgd8Q7st0tXM6Wbf7iWnawG6YVSydaP-38ThU"}"#,
        #"{"kty":"RSA","kid":"RSA","n":"sgVQKaGig2JwfY09QQ36Ooeu_U40kG1hIEzwhud9OR_mJrNLvTlCUN26MfFje6HHnZKj1vlxaKWfmPdX-C3Yz3PpTx9FbTVv7brNvr0-FgUlxsmtvQ7tCFI8Q_ayWCe1UX0HWlTLqpHDws-_-qIS74jNQVD58XGESpmA66dXpGjlOsbjsPn26HaG5Bgur-DPHXVviwOiBR97xJKQL8aB3V8-co3QUR8uTB5fQbh8b9mteQc8qqyCskBElqDvJP8R17BTymYoEze5DGHPDwMcSzzskIfeK6Q_m1RWIBUqkP61U4uPy0xzS4lDotdVB3Iqtz2zIYzokVRU03lRMfF9Vw","e":"AQAB","d":"O1rQJoFQ6RN6RDJCWR1q7_brXmOj3P_LIXTlwWUPeGttVjvzpcygksvK1_oO3FrNbnlFDVkv-d82_k6B0yqeHlUcVhgsEsR9ZDsjfFQmjjr7JHN77Qw79clNdK-dOQ1MRDY2rGSXX3CoX5za-prtS1ZGcV-pZlod7K2PsYKjExqiT7mpVZS3c5bsP2V2rMkkQebrWw6IHQCwMmSzlTisGxgqb5q782br4XBTndAfM5UFLx3fu-iLgK3GFHW8qxywg7HoXl_sUUstJvuVKT7Th5DZXPjxpYlaI3zNLylO_6n6zk8psJPrTVmblPpEzYzQRergduNuwiPg6XOCLlMiEQ","p":"-Ehw2S-UbSv59fie5nH_dKV05e2wT6mfQXtbfA8cWcG6jDG-7VyribcmLqZK0BQr4DOBIEmbUrObEB-o8lURFA-eUFXNJsoickhQ99XFdAE0IXX_MRgLwyQJYuOVqJi7fVguIDb8E6gevOQQlGsuv42jHfmj7xrAHCW-MXbIXWk","q":"t43NzF_Lndw7Vb1yNH9xjMOH_ditt9goi4KTkw53mXvQfsDq3m5X7pL5s1dT-wVX3q31AHaS7CV6zAE0W2sZnQFX8Z7vUXobigMfctJshdolFnAREylgCzBL2CloTAftPkgUb24aFZqGYxljLuF7-O_-9Vg6EyMn2bgMLXO_7L8","dp":"Xw1Mtrkyd8E4RuTR4KOQCxY09LnUoAruP2F8mrgmQG6cfoOk9rZdrbGCWqWrSpIOYh0VuEi1wCmmmbulMHFEwotgLp1KlykXmuz4ookiuNClJpJICoGMLz8ioMtERnGChfA2aHrkcpoQenxNpKSMFyWgZx9llWqGVcBVWhaBitE","dq":"U6OrHjCckL80zln3-1IDRNgoVJRyfC5kM0X5xu21s9uGYuu3Wkm_ibexTnZBj0WdB5wO4vok8rQVY3Y9DFceIbvl_fSlKmRQvi-0GdcmmkuP0MyaCzg0SoTkWohrvRFzmoivvyLVgfiaufdsiYU3v3RkohlkxSmk1AGYkvGGh_M","qi":"5URiT8uhBqufAYB82e6j9eJCmO7zpYgVYuluNEcVArWsXUB84i9SvIkj4FMxo8QP_Ilk5laCF65XL6oiP4t2SatbjPCs4fmSNkvbNTs3heTVYuOdHwacHIOplUqvYJ3p5WiQBkGWkWS6HjWoGQRWryB-UyGZ7p9gz50h9cUWsmY"}"#,
    ]
    static let symmetricKeys = [
        #"{"kty":"oct","kid":"1","use":"sig","alg":"HS256","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#,
        #"{"kty":"oct","key_ops":["wrapKey","unwrapKey"],"k":"AAECAwQFBgcICQoLDA0ODw"}"#,
    ]
    /// The passphrase of both is `fuzz`.
    static let encryptedKeys = [
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAge3fpgKUNX2AIBZDAM
        BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBAgQQ6YaaZk3Vkn/ocWu+oBgw3ASBkKIA
        WxqY489J87c1kb2s2JEAQvr+cL4m1Y/hGMivAbq9fJhJbpu8a6yyJHPV69OCrTmg
        4yDrQsUg8D33ejdlgcBkn3EH+OyKU19bviOLEUlCdYyHOcHkqZRqOR55Ly0FXim2
        eg/HFZl0bYW8pTzx/KgwdVjJBU5FJmLcy/GNIUmNHEw7CyyBJ4Uqh2gNI99OAQ==
        -----END ENCRYPTED PRIVATE KEY-----

        """,
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGSME4GCSqGSIb3DQEFDTBBMCAGCSsGAQQB2kcECzATBAgqEOVj/EhYNAIBEAIB
        AQIBATAdBglghkgBZQMEASoEENp2S6aPmXR+9eCYttxnv90EQCw9OwlhXZsZrbhj
        Nmc1AlUnYAvWS8hC01fsHv4VW5hg6P/cAP2zv1LrEfac1GrDskwZF9qxlfO8mvz6
        W5VGbEM=
        -----END ENCRYPTED PRIVATE KEY-----

        """,
    ]
}
