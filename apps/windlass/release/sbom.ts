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

export const licenseOf = ({ licenses: [license] }: Component): string => license.expression

/** The packages with their licenses, as Markdown. */
export function listLicenses({ components }: Bom): string {
  const rows = components.map(each => `| ${each.name} | ${each.version} | ${licenseOf(each)} |\n`)
  return `# Licenses of the packages that Windlass runs with\n\n| Package | Version | License |\n|---|---|---|\n${rows.join('')}`
}
