import NIOCore
import NIOHTTP1
import NIOPosix

/// A server on loopback whose answers depend on the path: `/keys`, `/large`, `/moved`, `/silent`, `/stalled` and `/closed`.
final class LoopbackServer: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Runs a closure with the base address of a server, which ends after it.
    static func with(_ body: (String) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMap { channel.pipeline.addHandler(LoopbackServer()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        switch head.uri {
        case "/keys": answer(context, .ok, Array(head.headers["Accept"].joined().utf8))
        case "/large": answer(context, .ok, [UInt8](repeating: 32, count: 1001))
        case "/moved": answer(context, .found, [], ["Location": "/keys"])
        case "/closed": context.close(promise: nil)
        case "/stalled":
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "10"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: [1, 2, 3])))), promise: nil)
        default: break
        }
    }

    private func answer(
        _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ body: [UInt8], _ headers: HTTPHeaders = [:]
    ) {
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
