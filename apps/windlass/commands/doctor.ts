import { spawn } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareBinaries } from '@windlass/postgres/binaries.ts'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { generateBaseEnv, parseEnvFile, type Variables } from '../base-env.ts'
import { type Command, printJson, readFlags } from '../command.ts'
import { requireBaseEnvOfData, requireKeysOfData } from '../data-keys.ts'
import { requireMigrationsOfData } from '../data-migrations.ts'
import { type Home, isInContainers } from '../home.ts'
import { holderOf, obstacleOn } from '../ports.ts'
import type { Progress } from '../progress.ts'
import { checkOwnDatabases } from './own-postgres.ts'
import { readLock } from '../run-files.ts'
import { OWN_POSTGRES_BACKUP } from '../backups/create.ts'
import { isContinued, type Mark } from '../backups/mark.ts'
import { notOwn, ownershipOf } from '../backups/owner.ts'
import { readSchedule } from '../backups/schedule.ts'
import { isBucket, storeAt } from '../backups/store-at.ts'
import type { Store } from '../backups/store.ts'
import { undecidedSettings } from '../production.ts'
import { refusedSettings, type Refusal } from '../refused-settings.ts'
import { DATABASES } from '../services.ts'
import { definedIn, portOf, readSettings, type Settings } from '../settings.ts'

type Verdict = { state: 'good' | 'notable' | 'bad'; text: string }

const NEEDED_BYTES = 2 * 2 ** 30
/** With less, Postgres does not start. */
const LEAST_BYTES = 100 * 2 ** 20

export const doctor: Command = {
  summary: 'checks this machine and lists what would keep the stack from starting',
  usage: `npm run doctor -- [--production] [--json]

Checks the machine, Node, the programs npm installed, the data folder, settings, ports, names, a Postgres of your own and where
backups go, and says what to do.
Exit code 1 when something would keep the stack from starting.
  --production  lists every setting that a production start still needs, and what a good value is, and those that
                a part refuses`,
  run: async ({ args, environment, home, progress }) => {
    const { flags } = readFlags(args, ['production', 'json'])
    if (flags.production) return checkProduction(home, environment, progress, flags.json)
    if (!flags.json) progress.heading(`Windlass on ${process.platform} ${process.arch}`)
    const verdicts = [
      checkMachine(),
      checkNode(),
      checkPostgres(home),
      checkHome(home),
      checkDisk(home),
      ...(await checkSettings(home, environment)),
      await checkNames(),
      checkBrowser(environment.PATH ?? ''),
      ...(await checkBackups(home, environment)),
    ]
    if (flags.json) printJson(progress, verdicts)
    else verdicts.forEach(verdict => print(verdict, progress))
    return verdicts.some(({ state }) => state === 'bad') ? 1 : 0
  },
}

async function checkProduction(
  home: Home,
  environment: NodeJS.ProcessEnv,
  progress: Progress,
  json: boolean,
): Promise<number> {
  const base = readBaseEnv(home)
  const undecided = undecidedSettings(base, definedIn(environment))
  // The first start generates what is missing of these.
  const secrets = existsSync(home.baseEnvFile) ? base : parseEnvFile(generateBaseEnv(), home.baseEnvFile)
  const refused = (await refusedInProduction(secrets, environment, home)).filter(({ problem }) =>
    undecided.every(({ name }) => !problem.includes(name)),
  )
  const problems = [...undecided, ...refused]
  if (json) printJson(progress, problems)
  else {
    progress.heading('Windlass with DEPLOYMENT=production')
    for (const { name, problem, decide } of undecided) progress.fail(`${name} ${problem}: ${decide}`)
    for (const { part, problem } of refused) progress.fail(part ? `${part}: ${problem}` : problem)
    if (problems.length === 0) progress.done('good', 'every setting that production needs is set')
  }
  return problems.length > 0 ? 1 : 0
}

/** Also where settings are undecided, so that all that is wrong is listed at once. */
async function refusedInProduction(
  base: Variables,
  environment: NodeJS.ProcessEnv,
  home: Home,
): Promise<Refusal[]> {
  try {
    const settings = readSettings(base, { ...environment, DEPLOYMENT: 'local', IS_MAINNET: 'false' })
    const IS_MAINNET = environment.IS_MAINNET || base.IS_MAINNET || 'false'
    const variables = { ...settings.variables, DEPLOYMENT: 'production', IS_MAINNET }
    return await refusedSettings({ ...settings, variables }, home.folder)
  } catch (error) {
    return [{ part: '', problem: error instanceof Error ? error.message : String(error) }]
  }
}

function readBaseEnv(home: Home): Variables {
  return existsSync(home.baseEnvFile)
    ? parseEnvFile(readFileSync(home.baseEnvFile, 'utf8'), home.baseEnvFile)
    : { DEPLOYMENT: 'local' }
}

function print({ state, text }: Verdict, progress: Progress): void {
  if (state === 'good') progress.done('good', text)
  else if (state === 'bad') progress.fail(text)
  else progress.warn(text)
}

/** What runs on other machines is the same, and nobody has tried the whole of it there. */
function checkMachine(): Verdict {
  const machine = `${process.platform} ${process.arch}`
  if (machine === 'linux x64') return good(`${machine}, on which everything is tested`)
  return { state: 'notable', text: `${machine}: untried as a whole (docs/guides/fetched.md#which-machine)` }
}

const good = (text: string): Verdict => ({ state: 'good', text })
const worthKnowing = (text: string): Verdict => ({ state: 'notable', text })
const bad = (text: string): Verdict => ({ state: 'bad', text })

function checkNode(): Verdict {
  return good(`Node ${process.versions.node} (${process.execPath})`)
}

function checkPostgres(home: Home): Verdict {
  try {
    const place = placeData(home.postgres)
    const binaries = prepareBinaries(place.account, place.folder)
    const as = place.account === undefined ? 'this user' : `the account "${place.account.name}"`
    return good(`Postgres ${binaries.majorVersion} from npm, as ${as}, data in ${place.folder}`)
  } catch (error) {
    return bad(error instanceof Error ? error.message : String(error))
  }
}

function checkHome(home: Home): Verdict {
  const folder = existingAbove(home.folder)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    return bad(`${folder} is not writable: set WINDLASS_HOME to a folder that is`)
  }
  if (!existsSync(home.baseEnvFile)) {
    try {
      requireBaseEnvOfData(home)
    } catch (error) {
      return bad((error as Error).message)
    }
    return good(`data goes to ${home.folder} (empty)`)
  }
  const mode = statSync(home.baseEnvFile).mode & 0o777
  if ((mode & 0o077) !== 0)
    return worthKnowing(`${home.baseEnvFile} is readable by others; the next start closes it`)
  return good(`data in ${home.folder}, base env file readable by this user only`)
}

function existingAbove(path: string): string {
  return existsSync(path) ? path : existingAbove(dirname(path))
}

function checkDisk(home: Home): Verdict {
  const { bavail, bsize } = statfsSync(existingAbove(home.folder))
  const text = `${(Number(bavail * bsize) / 2 ** 30).toFixed(1)} GiB free on the disk of the data`
  if (bavail * bsize < LEAST_BYTES)
    return bad(`${text}: make room, nothing starts or is stored on a full disk`)
  return bavail * bsize < NEEDED_BYTES ? worthKnowing(`only ${text}`) : good(text)
}

async function checkSettings(home: Home, environment: NodeJS.ProcessEnv): Promise<Verdict[]> {
  const lock = await readLock(home.run)
  if (lock !== undefined)
    return [
      good(`a stack runs as process ${lock.pid} since ${lock.startedAt}: npm run status says how it is`),
    ]
  try {
    const settings = readSettings(readBaseEnv(home), environment)
    if (settings.databases.length > 0) {
      requireKeysOfData(home, settings.variables)
      await requireMigrationsOfData(home)
    }
    return [...(await checkPorts(settings)), ...(await checkOwnDatabases(settings.variables))]
  } catch (error) {
    return [bad(error instanceof Error ? error.message : String(error))]
  }
}

/** Says whose the place of scheduled backups is; writes a file there and removes it, unless it is another stack's. */
async function checkBackups(home: Home, environment: NodeJS.ProcessEnv): Promise<Verdict[]> {
  const variables = { ...readBaseEnv(home), ...definedIn(environment) }
  if (!variables.BACKUP_TO)
    return variables.DEPLOYMENT === 'local' ? [] : [worthKnowing('no backups are scheduled: set BACKUP_TO')]
  const isContained = isInContainers(home) && !existsSync(home.postgres)
  if (isContained || DATABASES.every(({ variable }) => variables[variable]))
    return [worthKnowing(`BACKUP_TO makes no backups here. ${OWN_POSTGRES_BACKUP}`)]
  try {
    readSchedule(variables)
    if (!isBucket(variables.BACKUP_TO) && !(await answers(resolve(variables.BACKUP_TO))))
      return [
        bad(
          `${variables.BACKUP_TO} does not answer. See that its disk is mounted and its server runs. The stack continues; Postgres keeps up to 4 GB of its log meanwhile`,
        ),
      ]
    const store = await storeAt(variables.BACKUP_TO, home, variables)
    const found = await ownershipOf({ store, dataFolder: placeData(home.postgres).folder })
    if (found.state === 'lost' || found.state === 'foreign') return [bad(notOwn(store, found).message)]
    const name = `check-${process.pid}`
    writeFileSync(store.local(name), 'checked by npm run doctor')
    await store.put(name, AbortSignal.timeout(60_000))
    await store.remove(name)
    return [
      ...(found.state === 'own'
        ? [checkStored(store, found.mark)]
        : [good(`backups go to ${store.pathOf()}; none yet`)]),
      ...checkBackupDisk(variables.BACKUP_TO, home),
    ]
  } catch (error) {
    return [bad(`backups cannot be stored: ${error instanceof Error ? error.message : String(error)}`)]
  }
}

function checkStored(store: Store, mark: Mark): Verdict {
  const { backup, log } = mark
  if (!backup || !isContinued(mark))
    return worthKnowing(
      `backups go to ${store.pathOf()}, and the log stored there continues none of them: the next round of the schedule makes one`,
    )
  const upTo = log ? `, the log is stored up to ${log.completeAt}` : ''
  return good(`backups go to ${store.pathOf()}; the newest is ${backup.name}${upTo}`)
}

const ANSWER_MS = 5_000

/** Asked by a process of its own: one that asks a dead network disk cannot be ended, and nobody waits for it. */
function answers(folder: string): Promise<boolean> {
  const program = "try { require('fs').readFileSync(process.argv[1] + '/owner.json') } catch {}"
  const child = spawn(process.execPath, ['-e', program, folder], { stdio: 'ignore' })
  const timer = sleep(ANSWER_MS, false, { ref: false })
  return Promise.race([
    new Promise<boolean>(resolve => child.once('exit', () => resolve(true))),
    timer,
  ]).finally(() => {
    child.kill('SIGKILL')
    child.unref()
  })
}

/** A disk that is lost takes both with it; and a disk that is not mounted looks like this. */
function checkBackupDisk(place: string, home: Home): Verdict[] {
  if (isBucket(place)) return []
  const [backups, data] = [resolve(place), placeData(home.postgres).folder].map(path =>
    statSync(existingAbove(path)),
  )
  return backups?.dev === data?.dev
    ? [
        worthKnowing(
          `${place} is on the disk of the databases: whatever takes the disk takes the backups too`,
        ),
      ]
    : []
}

async function checkPorts({ services, databases, variables, bindHost }: Settings): Promise<Verdict[]> {
  const wanted = services.flatMap(({ title, ports }) =>
    ports.map(([variable, fallback]) => ({ title, variable, port: portOf(variables, variable, fallback) })),
  )
  if (databases.length > 0) {
    wanted.push({
      title: 'Postgres',
      variable: 'POSTGRES_PORT',
      port: portOf(variables, 'POSTGRES_PORT', 5432),
    })
  }
  const verdicts: Verdict[] = []
  for (const { title, variable, port } of wanted) {
    const obstacle = await obstacleOn(port, bindHost)
    if (obstacle === undefined) continue
    const why =
      obstacle === 'taken' ? `is used by ${holderOf(port)}` : 'needs privileges that this user does not have'
    const text = `port ${port} (${title}) ${why}`
    const hasFallback = variable === 'PROXY_PORT' && variables.PROXY_PORT === undefined
    verdicts.push(
      hasFallback ? worthKnowing(`${text}; 8080 is used instead`) : bad(`${text}; set ${variable}`),
    )
  }
  if (verdicts.length === 0) return [good(`all ${wanted.length} ports are free`)]
  return verdicts
}

async function checkNames(): Promise<Verdict> {
  const found = await lookup('example.anchors.localhost').catch(() => undefined)
  if (found !== undefined) return good('*.anchors.localhost resolves to this machine')
  return worthKnowing(
    'this machine does not resolve *.localhost: browsers, curl and the stack resolve it themselves, other ' +
      'programs need the names in /etc/hosts',
  )
}

function checkBrowser(path: string): Verdict {
  const found = path.split(delimiter).some(folder => {
    const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    return names.some(name => existsSync(join(folder, name)))
  })
  if (found) return good('a Chromium for the browser tests')
  return worthKnowing(
    'no Chromium: tests in a browser are skipped (Debian: apt-get install chromium-headless-shell)',
  )
}
