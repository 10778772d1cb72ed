// Type-checked against a build without traits: each message names the trait that the declaration needs.
import JOSEDigiD
import JOSEFetch
import JOSERedis

// expected-error@+1 {{CurlTransport needs the package trait HTTP}}
let transport = try CurlTransport()
// expected-error@+1 {{traits: [.defaults, "HTTP"]}}
var options = CurlTransport.Options()
// expected-error@+1 {{CurlTransport needs the package trait HTTP}}
let keys = try RemoteKeySet(issuer: "https://id.example.com", transport: CurlTransport())
// expected-error@+1 2 {{needs the package trait Redis}}
let store = try RedisLoginStore(RedisOptions(host: "redis.internal"))
// expected-error@+1 2 {{needs the package trait SAML}}
func login(_ party: DigiDRelyingParty, _ connection: DigiDConnection) {}
// expected-error@+1 {{IdentityProviderMetadata needs the package trait SAML}}
func metadata(_ provider: IdentityProviderMetadata) {}

// Modules without a trait are complete.
let present: (any HTTPTransport)? = nil
let policy = ClaimPolicy(issuer: "https://id.example.com", audience: "shop")
