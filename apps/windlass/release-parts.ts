import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Variables } from './base-env.ts'
import type { Service } from './services.ts'
import { deriveVariables, GIVEN_SETTINGS, type Settings, settledPorts, variablesFor } from './settings.ts'

/** What a start chose; parts that are restarted keep it. */
interface Chosen {
  /** Folder of the data. */
  home: string
  proxyPort: number
  backupsPort: Variables
}

/** The question to a release about its parts. */
export interface Question extends Chosen {
  baseEnvFile: string
  /** With which the stack was started; they win over the file's. */
  variables: Variables
}

/** A service, and the variables that it gets. */
interface DescribedPart {
  service: Service
  own: Variables
}

interface Described {
  /** All that the stack has. */
  variables: Variables
  parts: DescribedPart[]
}

/** The parts of a stack, as the release in the checkout has them. */
export interface ReleaseParts {
  of(name: string): DescribedPart & { variables: Variables }
  /**
   * Asks the release that is in the checkout by now: a restart may be an upgrade.
   *
   * @throws {Error} where its settings are not complete.
   */
  readAgain(): Promise<void>
}

/** The variables of the whole stack: derived ones, under what was set, under what was chosen. */
export function variablesOfStack(settings: Settings, { home, proxyPort, backupsPort }: Chosen): Variables {
  const derived = deriveVariables(settings, home, proxyPort)
  return {
    ...derived,
    ...settings.variables,
    ...settledPorts(derived),
    ...backupsPort,
    [GIVEN_SETTINGS]: Object.keys(settings.variables).join(','),
  }
}

/** Each service with the variables that are for it. */
export function describe(services: readonly Service[], variables: Variables): Described {
  const parts = services.map(service => ({
    service,
    own: service.hasAllSettings ? variables : variablesFor(service.name, variables),
  }))
  return { variables, parts }
}

const DESCRIBES = join(import.meta.dirname, 'describe-parts.ts')

/**
 * @param question absent where the services are not a release's
 * @param script of the release that is asked
 */
export function createReleaseParts(
  services: readonly Service[],
  variables: Variables,
  question?: Question,
  script = DESCRIBES,
): ReleaseParts {
  let described = describe(services, variables)
  return {
    of: name => {
      const part = described.parts.find(({ service }) => service.name === name)
      if (part === undefined) throw new Error(`This release has no part "${name}"`)
      return { ...part, variables: described.variables }
    },
    readAgain: async () => {
      if (question) described = await ask(script, question)
    },
  }
}

/** A process of its own, since this one has the code of the release that it was started from. */
async function ask(script: string, question: Question): Promise<Described> {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const said: Buffer[] = []
  child.stderr.on('data', (text: Buffer) => said.push(text))
  child.stdin.on('error', () => undefined).end(JSON.stringify(question))
  const [answer, code] = await Promise.all([json(child.stdout).catch(() => undefined), ended])
  if (code !== 0 || answer === undefined)
    throw new Error(Buffer.concat(said).toString().trim() || `its parts cannot be read (exit code ${code})`)
  return answer as Described
}
