/**
 * Opens the sockets of a new network namespace from inside it and hands them to the runtime, which keeps them: a socket
 * belongs to the namespace in which it was made. So no helper stays in the namespace, and none can be attacked there.
 */

/** Port of the HTTP proxy inside. */
export const PROXY_PORT = 3128
/** Ports that programs which know no proxy connect to; captured for every address. */
export const WEB_PORTS = [80, 443] as const

/** Message names: `tcp:<port>:<4|6>`, `dns`, at the end `ready`. */
export const OPENER = `
const net = require('node:net'), dgram = require('node:dgram')
let open = 1
const done = () => { if (--open === 0) process.send('ready') }
const listen = (name, options, required) => {
  open++
  const server = net.createServer()
  server.on('error', (error) => { if (required) throw error; done() })
  server.listen(options, () => process.send(name, server, done))
}
for (const port of ${JSON.stringify(WEB_PORTS)}) {
  listen('tcp:' + port + ':4', { host: '0.0.0.0', port, backlog: 511 }, true)
  listen('tcp:' + port + ':6', { host: '::', port, ipv6Only: true, backlog: 511 }, false)
}
listen('tcp:${PROXY_PORT}:4', { host: '127.0.0.1', port: ${PROXY_PORT}, backlog: 511 }, true)
open++
const dns = dgram.createSocket('udp4')
dns.bind(53, '127.0.0.1', () => process.send('dns', dns, done))
process.on('message', () => process.exit(0))
done()
`

/** Routes every address to the namespace itself, then becomes the opener. \`$1\` is Node, \`$2\` the program above. */
export const ROUTES = `
ip -4 route add local 0.0.0.0/0 dev lo || exit 90
ip -6 route add local ::/0 dev lo 2>/dev/null
exec "$1" -e "$2"
`
