import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import packageFile from '../../package.json' with { type: 'json' }
import { comparedPartOf, type Compared } from './breaking-changes.ts'
import { readContracts, type Contracts, type Declared } from './contracts.ts'
import { differencesOf, isMeant, pageOf, type MeantBreak } from './differences.ts'
import { documents, type DocumentPlan } from './documents.ts'
import { jsonText } from './json-text.ts'
import { asOpenApi30 } from './openapi-3.0.ts'
import {
  printOperation,
  securitySchemes,
  shareParameters,
  type OpenApi,
  type Operation,
} from './operations.ts'
import { responseHeaders } from './responses.ts'
import { createComponents } from './schemas.ts'

const FOLDER = fileURLToPath(new URL('../../docs/api/', import.meta.url))
const RELEASED = fileURLToPath(new URL('./released/', import.meta.url))

export const fileOf = (name: string): string => `${FOLDER}${name}.json`
const releasedFileOf = (name: string): string => `${RELEASED}${name}.json`

/** Which endpoints are in a document; `GET /health` is in each. */
export function endpointsOf(plan: DocumentPlan, { endpoints }: Contracts): Declared[] {
  const inPlan = ({ module, endpoint }: Declared) =>
    module === 'health' || (module in plan.modules && plan.realms.includes(endpoint.realm))
  const order = Object.keys(plan.modules)
  return endpoints.filter(inPlan).sort((a, b) => order.indexOf(a.module) - order.indexOf(b.module))
}

/** The document of one audience as OpenAPI 3.1. */
function printDocument(plan: DocumentPlan, contracts: Contracts): OpenApi {
  const own = (module: string) => (module in plan.modules ? 0 : 1)
  const components = createComponents(
    contracts.schemas.toSorted((one, other) => own(one.module) - own(other.module)),
  )
  const declared = endpointsOf(plan, contracts)
  const paths: OpenApi['paths'] = {}
  const operations: Operation[] = []
  for (const each of declared) {
    const path = each.endpoint.path.replace(/:(\w+)/g, '{$1}')
    const server = plan.servedBy?.find(({ prefix }) => prefix.test(each.endpoint.path))
    paths[path] ??=
      server && each.module !== 'health'
        ? { servers: [{ url: server.url, description: server.description }] }
        : {}
    const operation = printOperation(each, plan, components)
    paths[path][each.endpoint.method.toLowerCase()] = operation
    operations.push(operation)
  }
  const parameters = shareParameters(operations)
  const text = JSON.stringify({ paths, responses: components.responses })
  const tags = Object.values(plan.modules).map(({ tag, description }) => ({ name: tag, description }))
  return {
    openapi: '3.1.0',
    info: {
      title: plan.title,
      version: packageFile.version,
      description: plan.description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Windlass', url: 'https://github.com/windlass/windlass' },
    },
    servers: [...plan.servers],
    tags: [
      ...new Map(tags.map(tag => [tag.name, tag])).values(),
      { name: 'Service', description: 'Whether the service works' },
    ],
    paths,
    components: {
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
      parameters: sorted(parameters),
      headers: usedOf(responseHeaders, name => text.includes(`#/components/headers/${name}"`)),
      ...withSchemes(usedOf(securitySchemes, name => text.includes(`{"${name}":[]}`))),
    },
  }
}

const sorted = <T>(parts: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))

const usedOf = (all: object, isUsed: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isUsed(name)))

const withSchemes = (schemes: Record<string, unknown>) =>
  Object.keys(schemes).length > 0 ? { securitySchemes: schemes } : {}

/** Every document as the text of its file. */
export async function printAll(): Promise<Map<string, string>> {
  const contracts = await readContracts()
  return new Map(documents.map(plan => [plan.name, `${jsonText(printDocument(plan, contracts))}\n`]))
}

const MEANT = `${RELEASED}meant-breaks.json`
export const readMeantBreaks = (): MeantBreak[] => JSON.parse(readFileSync(MEANT, 'utf8')) as MeantBreak[]

export const readReleased = (name: string): Compared =>
  JSON.parse(readFileSync(releasedFileOf(name), 'utf8')) as Compared

/**
 * `npm run api`: writes docs/api. With `--release`, also what changed since the last release, and what the next
 * changes are compared with; it refuses a break that nobody meant. With `--openapi-3.0=<folder>`, only writes the documents there, for generators that do not read OpenAPI 3.1.
 */
async function main(): Promise<void> {
  const older = process.argv.find(each => each.startsWith('--openapi-3.0='))?.split('=')[1]
  if (older) return writeOlder(older)
  const printed = [...(await printAll())].map(([name, text]) => {
    const [before, document] = [readReleased(name), JSON.parse(text) as OpenApi]
    return {
      name,
      text,
      before,
      document,
      title: document.info.title,
      differences: differencesOf(before, document),
    }
  })
  for (const { name, text, before, differences } of printed) {
    writeFileSync(fileOf(name), text)
    for (const change of differences.breaking) console.log(`${name}: ${change}`)
    console.log(
      `docs/api/${name}.json: ${differences.breaking.length} breaking changes since ${before.info.version}`,
    )
  }
  if (!process.argv.includes('--release')) return
  const meant = readMeantBreaks()
  const others = printed
    .flatMap(({ differences }) => differences.breaking)
    .filter(change => !isMeant(change, meant))
  if (others.length > 0) throw new Error(`Nobody meant these breaks (${MEANT}):\n${others.join('\n')}`)
  const from = printed[0]?.before.info.version ?? ''
  writeFileSync(`${FOLDER}CHANGES.md`, pageOf(from, packageFile.version, printed, meant))
  for (const { name, document } of printed)
    writeFileSync(releasedFileOf(name), `${jsonText(comparedPartOf(document))}\n`)
  writeFileSync(MEANT, '[]\n')
}

async function writeOlder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of await printAll())
    writeFileSync(`${folder}/${name}.json`, JSON.stringify(asOpenApi30(JSON.parse(text) as object), null, 2))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
