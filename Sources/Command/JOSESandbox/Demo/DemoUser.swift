internal import JOSEDigiD
internal import JOSEMitID
internal import JOSERelyingParty

/// The user who has logged in, as far as the service shows and stores it.
struct DemoUser: Sendable {
    let issuer: String
    /// The subject, empty if it is a national number.
    let subject: String
    let details: [(name: String, value: String)]
    /// The session of the user at DigiD, after a login on its web page.
    var digiD: DigiDUserSession?
    /// The ticket for comparisons of the civil registration number, after a login with MitID.
    var cprTicket: MitIDCPRTicket?

    /// Creates the user. National numbers are left out.
    init(_ user: LoggedInUser) {
        if let digiD = user.digiD {
            // The subject is a national number.
            self.init(digiD, of: user.issuer)
            return
        }
        var details: [(name: String, value: String)] = [("Issuer", user.issuer), ("Subject", user.subject)]
        for (title, name) in [
            ("Name", "name"), ("Name", "mitid.identity_name"), ("Name", "full_name"),
            ("Name", "nemlogin.name"), ("Organization", "nemlogin.org_name"), ("E-mail", "email"),
            ("Phone", "phone_number"),
            ("Born", "birthdate"), ("Born", "birth_date"), ("Level", "acr"),
        ] {
            if let value = user.string(name) { details.append((title, value)) }
        }
        self.init(issuer: user.issuer, subject: user.subject, details: details)
        cprTicket = user.mitIDCPRTicket
    }

    init(_ user: DigiDUser, of issuer: String) {
        self.init(
            issuer: issuer, subject: "",
            details: [("Issuer", issuer), ("Sector", "\(user.number.sector)"), ("Level", "\(user.level)")])
        digiD = user.session
    }

    private init(issuer: String, subject: String, details: [(name: String, value: String)]) {
        self.issuer = issuer
        self.subject = subject
        self.details = details
    }
}
