/**
 * Opens the sockets of a new network namespace from inside it and hands them to the runtime, which keeps them: a socket
 * belongs to the namespace in which it was made. So no helper stays in the namespace, and none can be attacked there.
 */

/** Port of the HTTP proxy inside. */
export const PROXY_PORT = 3128
/** Captured for every address, by listening on them. */
const WEB_PORTS = [80, 443]
/**
 * Captured where nft can be used: each is led to a port of its own above those that programs get by chance, so that a server
 * inside may have the number itself. These are the ports that programs call without being told; others are refused.
 */
const FURTHER_PORTS = [
  21, 22, 25, 143, 389, 465, 587, 636, 993, 995, 1433, 1521, 3000, 3306, 5000, 5432, 5672, 6379, 8000, 8080, 8443, 8883,
  9000, 9092, 9200, 9418, 9443, 11211, 27017,
]
const FIRST_LISTENER = 61_000

/** Message names: `tcp:<port that programs connect to>`, `dns`, at the end `ready` with `:all` where nft worked. */
export const OPENER = `
const net = require('node:net'), dgram = require('node:dgram')
const all = process.argv[1] === 'all'
let open = 1
const done = () => { if (--open === 0) process.send(all ? 'ready:all' : 'ready') }
const listen = (name, options, required) => {
  open++
  const server = net.createServer()
  server.on('error', (error) => { if (required) throw error; done() })
  server.listen({ backlog: 511, ...options }, () => process.send('tcp:' + name, server, done))
}
for (const port of ${JSON.stringify(WEB_PORTS)}) {
  listen(port, { host: '0.0.0.0', port }, true)
  listen(port, { host: '::', port, ipv6Only: true }, false)
}
listen(${PROXY_PORT}, { host: '127.0.0.1', port: ${PROXY_PORT} }, true)
if (all) ${JSON.stringify(FURTHER_PORTS)}.forEach((port, index) => listen(port, { host: '0.0.0.0', port: ${FIRST_LISTENER} + index }, true))
open++
const dns = dgram.createSocket('udp4')
dns.bind(53, '127.0.0.1', () => process.send('dns', dns, done))
process.on('message', () => process.exit(0))
done()
`

const elements = FURTHER_PORTS.map((port, index) => `${port} : ${FIRST_LISTENER + index}`).join(', ')

/** Only the port is changed, so that the address still tells the name; what stays inside the sandbox is left alone. */
const RULES = `
table ip capture {
  map further { type inet_service : inet_service; elements = { ${elements} } }
  chain out {
    type nat hook output priority -100; policy accept;
    ip daddr 127.0.0.0/8 accept
    udp dport 53 dnat to 127.0.0.1:53
    ip protocol tcp dnat to :tcp dport map @further
  }
}
`

/** Routes every address to the namespace itself, then runs the opener. `$1` is Node, `$2` the program above. */
export const ROUTES = `
ip link set lo up && ip -4 route add local 0.0.0.0/0 dev lo || exit 90
ip -6 route add local ::/0 dev lo 2>/dev/null
captured=web
nft -f - 2>/dev/null <<'RULES' && captured=all
${RULES}
RULES
exec "$1" -e "$2" "$captured"
`
