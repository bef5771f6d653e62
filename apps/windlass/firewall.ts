import { FIRST_ANCHOR_USER, LAST_ANCHOR_USER } from './users.ts'
import { SERVICES } from './services.ts'

/**
 * TCP ports that each service connects to on other machines: none, unless something of its own is there, such as a key store
 * or a Postgres. `443` is Horizon, a provider, a wallet's or a founder's server.
 */
const REACHES: Readonly<Record<string, readonly number[]>> = {
  'secrets-store': [],
  'local-network': [],
  'ledger-gateway': [443],
  signer: [],
  'mail-catcher': [],
  'reverse-proxy': [],
  'platform-api': [443, 465, 587],
  'control-plane': [443],
  aggregator: [443],
  'founder-console': [],
  'admin-console': [],
  'customer-portal': [],
}
const ANCHORS_REACH = [443]

/** The rules of nftables for a machine on which services and anchors' servers run as users of their own: who connects where. */
export function firewallRules(): string {
  const rules = SERVICES.flatMap(({ name, user }) => {
    const ports = REACHES[name]
    if (user === undefined || ports === undefined) throw new Error(`what ${name} reaches is not in the table`)
    return ruleOf(name, String(user), ports)
  })
  const anchors = ruleOf('servers of anchors', `${FIRST_ANCHOR_USER}-${LAST_ANCHOR_USER - 1}`, ANCHORS_REACH)
  return `#!/usr/sbin/nft -f
# Printed by \`node apps/windlass/firewall.ts\`: what Windlass' services may connect to on other machines, by their users.
# Load it with \`nft -f\`, after editing where you have a Postgres, Vault, mail server or scanner on another machine.

table inet windlass
delete table inet windlass
table inet windlass {
  chain output {
    type filter hook output priority filter; policy accept;
    oif lo accept
    ct state established,related accept
${[...rules, ...anchors].map(line => `    ${line}`).join('\n')}
  }
}
`
}

function ruleOf(name: string, users: string, ports: readonly number[]): string[] {
  const accepted =
    ports.length === 0
      ? []
      : [
          `meta skuid ${users} meta l4proto { tcp, udp } th dport 53 accept`,
          `meta skuid ${users} tcp dport { ${ports.join(', ')} } accept`,
        ]
  return [`# ${name}`, ...accepted, `meta skuid ${users} reject`]
}

if (import.meta.main) process.stdout.write(firewallRules())
