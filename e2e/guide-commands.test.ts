import { createApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { createWalletKey } from '@windlass/contracts/aggregator/wallet-webhooks.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { openDeposit } from '@windlass/windlass/demo/money.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made } from '@windlass/windlass/demo/story.ts'
import { tokenAt } from '@windlass/windlass/demo/wallet.ts'
import { CHECKOUT } from '@windlass/windlass/home.ts'
import { readLock } from '@windlass/windlass/run-files.ts'
import { execFile, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommandStack } from './command-stack.ts'

/** Commands of a page that are not run here, by its name or by what is in the block, and why. */
const ELSEWHERE: [page: string, part: string, why: string][] = [
  ['README.md', 'npm test', 'the demo is run below; `npm test` is what runs beside this test'],
  ['backup.md', '/tmp/backups', 'loses a machine: e2e/drill.test.ts does'],
  ['backup.md', 'docker', 'a Docker engine: e2e/containers.test.ts restores such an archive'],
  ['cluster.md', '', 'three machines: `npm run test:cluster`'],
  ['deploy.md', '', 'a Docker engine: e2e/containers.test.ts'],
  [
    'incidents.md',
    'rescue',
    'an account that can send nothing: apps/signer/signing/end-of-an-account.test.ts',
  ],
  ['observability.md', 'docker compose', 'a Docker engine'],
  [
    'observability.md',
    'prometheus --config',
    'runs until it is stopped: packages/testing/observability.test.ts',
  ],
  ['postgres.md', '', 'two machines with Patroni, or a Docker engine: `npm run test:cluster`'],
  ['production.md', '', 'a new machine with a name in DNS'],
  [
    'tested-with.md',
    '',
    'clones of other repositories: e2e/anchor-tests.test.ts, e2e/demo-wallet.browser.test.ts',
  ],
  ['upgrade.md', '', 'need a later release: they are run below, with this one in its place'],
  [
    'anchor-developers.md',
    'sending-anchors',
    'an owner of a day or more: apps/business-server/people/sending-anchors',
  ],
  ['wallet-developers.md', 'external-anchors', 'an anchor of another platform: apps/aggregator/external'],
  ['wallet-go.md', '', 'e2e/wallet-stories.test.ts, where Go is'],
  ['wallet-java.md', '', 'e2e/wallet-stories.test.ts, where Java is'],
  ['wallet-python.md', '', 'e2e/wallet-stories.test.ts, where Python is'],
]

interface Block {
  page: string
  commands: string
}

/** What runs in the foreground until someone ends it. */
const IN_FOREGROUND = /^npm (start|run demo)/

const blocks: Block[] = globSync('{README.md,docs/guides/*.md}', { cwd: CHECKOUT })
  .sort()
  .flatMap(file =>
    [...readFileSync(join(CHECKOUT, file), 'utf8').matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(
      ([, commands = '']) => ({ page: file.replace('docs/guides/', ''), commands }),
    ),
  )
const isElsewhere = ({ page, commands }: Block) =>
  ELSEWHERE.some(([name, part]) => name === page && commands.includes(part))

let root: string
let stack: Awaited<ReturnType<typeof createCommandStack>>
/** The exit code of the command in the foreground. */
let ended: Promise<number | null> | undefined

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-guides-'))
  chmodSync(root, 0o755)
  stack = await createCommandStack(root)
})
afterAll(async () => {
  await stack?.windlass('stop', '--volumes')
  rmSync(root, { recursive: true, force: true })
})

/** Runs commands as the page has them; a request that is refused fails it. */
async function run(commands: string, environment: Record<string, string> = {}): Promise<string> {
  const strict = `set -e -o pipefail; curl() { command curl --fail-with-body --silent --show-error "$@"; echo; }\n`
  const env = { ...stack.environment, PGPORT: stack.environment.POSTGRES_PORT, ...environment }
  // Others download files to where they are.
  const cwd = commands.includes('npm ') ? CHECKOUT : root
  try {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', strict + commands], {
      env,
      cwd,
      maxBuffer: 2 ** 26,
    })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${commands}\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`, { cause: error })
  }
}

/** Runs a command that stays in the foreground until it prints this. */
function runInForeground(command: string, until: RegExp): Promise<string> {
  const child = spawn('bash', ['--norc', '-c', command], {
    cwd: CHECKOUT,
    env: stack.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ended = new Promise(resolve => child.once('exit', resolve))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk
    if (until.test(said)) resolve(said)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.once('exit', code => reject(new Error(`${command} ended with ${code}: ${said.slice(-3_000)}`)))
  return promise
}

it('every other command of a guide is run here, or has a reason', () => {
  expect(blocks.length).toBeGreaterThan(45)
  const idle = ELSEWHERE.filter(
    ([page, part]) => !blocks.some(each => each.page === page && each.commands.includes(part)),
  )
  expect(idle).toEqual([])
  expect(blocks.filter(block => !isElsewhere(block)).length).toBeGreaterThan(8)
})

/** What a reader puts in place of what a page shows. */
let filled: [shown: string, value: string][] = []
const fill = (commands: string) =>
  filled.reduce((text, [shown, value]) => text.replaceAll(shown, value), commands)

/** A second after the guide's backup, whose log is stored. */
let backedUpAt: Date

const ofBackups = blocks
  .filter(block => block.page === 'backup.md' && !isElsewhere(block))
  .map(({ commands }) => commands)

const [startLine = '', ...laterLines] =
  blocks
    .find(({ page }) => page === 'run-on-your-machine.md')
    ?.commands.trim()
    .split('\n') ?? []

it('a stack starts by the first command of the guide', { timeout: 300_000 }, async () => {
  expect(startLine).toMatch(/^npm start /)
  filled = [
    ['backup-key.txt', join(root, 'backup-key.txt')],
    ['/mnt/backups', join(root, 'backups')],
    ['.windlass/base.env', stack.home.baseEnvFile],
  ]
  const BACKUP_ENCRYPT_TO = made(/age1\w+/.exec(await run(fill(ofBackups[0] ?? '')))?.[0], 'key')
  filled.push(['age1…', BACKUP_ENCRYPT_TO])
  const BACKUP_TO = join(root, 'backups')
  Object.assign(stack.environment, { BACKUP_TO, BACKUP_ENCRYPT_TO, BACKUP_LOG_SECONDS: '1' })
  await runInForeground(startLine, /Ctrl-C stops everything/)
})

it('has what the pages speak of: an anchor, a customer with a file, keys', { timeout: 600_000 }, async () => {
  const { variables } = made(await readLock(stack.home.run), 'lock')
  const story = beginStory(variables)
  for (const step of STEPS) await step.run(story, () => undefined)
  const { first, operator, aggregator, wallet } = story
  const anchorId = made(first.anchorId, 'anchor')
  const { homeDomain = '', assetCode = '' } = made(first.anchor, 'anchor')
  const { key } = await operator.call(createApiKey, { params: { anchorId }, body: { name: 'Guides' } })
  const walletKey = await aggregator.call(createWalletKey, { body: { name: 'Pocket' } })
  const transaction = await openDeposit(story, '10')
  const [token, ANCHOR] = [await tokenAt(story, first), `http://${homeDomain}`]
  const [account, file] = [wallet.publicKey(), join(CHECKOUT, 'docs/pictures/provisioning.png')]
  await run(
    `curl -X PUT -H "Authorization: Bearer $TOKEN" -F account=${account} -F photo_id_front=@${file} "$ANCHOR/sep12/customer"`,
    { TOKEN: token, ANCHOR },
  )
  const listed = await run(`curl -H "Authorization: Bearer ${key}" "${ANCHOR}/api/v1/customers"`)
  const customers = JSON.parse(listed) as { id: string; account: string }[]
  const customer = made(
    customers.find(each => each.account === account),
    'customer',
  ).id
  filled.push(
    ['http://mumbai.anchors.localhost', ANCHOR],
    ['http://<your-subdomain>.anchors.localhost', ANCHOR],
    ['wl_test_…', key],
    ['$WINDLASS_API_KEY', key],
    ['/transactions/<id>', `/transactions/${transaction}`],
    ['/customers/<id>', `/customers/${customer}`],
    ['http://localhost:3005', variables.AGGREGATOR_URL ?? ''],
    ['LOTUS', assetCode],
    ['<from the route>', anchorId],
    ['wlw_…', walletKey.key],
    // Belongs to two customers' requests.
    ['5f0c4c1e-…', '5f0c4c1e'],
    ['lotus --follow', first.subdomain],
  )
})

/** A restore needs a machine without databases, and a key is made once. */
const isOfStopped = (commands: string): boolean =>
  commands === ofBackups[0] || (commands.includes('npm run restore') && !commands.includes('--practice'))

/** The commands of a page, in one shell as its reader has them: what a block sets holds for the next. */
const sessions = [
  ...Map.groupBy(
    blocks.filter(block => !isElsewhere(block) && !isOfStopped(block.commands)),
    ({ page }) => page,
  ),
]
  .map(([page, own]) => ({ page, commands: own.map(({ commands }) => commands).join('') }))
  .filter(({ commands }) => !IN_FOREGROUND.test(commands))

it.each(sessions)('the commands of $page work as they stand', { timeout: 300_000 }, async ({ commands }) => {
  const text = fill(commands)
  expect(text).not.toMatch(/…|<[a-z]/)
  expect(await run(text)).not.toBe('')
  if (text.includes('npm run backup')) backedUpAt = new Date()
})

it('a release in a checkout of its own makes its backup and leaves the stack to npm stop', async () => {
  const next = join(root, 'windlass-1.1.0')
  const [get = '', upgrade = '', ...more] = blocks.flatMap(({ page, commands }) =>
    page === 'upgrade.md' ? [commands] : [],
  )
  expect([upgrade.trim(), more]).toEqual([expect.stringMatching(/^npm run upgrade --/), []])
  // Its packages are those that are here, and there is no later release.
  const there = `ln -s ${join(CHECKOUT, 'node_modules')} . && code=0; ${fill(upgrade).trim()} || code=$?; echo "exit code $code"`
  const shown: [string, string][] = [
    ['git fetch --tags && ', ''],
    ['../windlass-1.1.0 v1.1.0', `${next} HEAD`],
    ['../windlass-1.1.0', next],
    ['/opt/windlass/.windlass', stack.home.folder],
  ]
  const commands = shown.reduce((text, [from, to]) => text.replaceAll(from, to), get) + there
  try {
    expect(await run(commands)).toMatch(/exit code 4$/m)
  } finally {
    await promisify(execFile)('git', ['worktree', 'remove', '--force', next], { cwd: CHECKOUT })
  }
  expect(await run('npm run status')).toContain('healthy')
})

it('the other commands of the guide work in its order', { timeout: 900_000 }, async () => {
  for (const line of laterLines) {
    if (!line.startsWith('npm run demo')) await run(line)
    else await runInForeground(line, /All \d+ steps passed[^]*Ctrl-C or "npm stop"/)
    if (line.startsWith('npm stop')) expect(await ended).toBe(0)
    if (line === 'npm stop') await restoreElsewhere()
  }
  expect(await run('npm run status || echo "exit code $?"')).toMatch(/exit code \d/)
})

/** Each line of the guide on a machine of its own. */
async function restoreElsewhere(): Promise<void> {
  const [block = '', ...more] = ofBackups.filter(commands => isOfStopped(commands)).slice(1)
  expect(more).toEqual([])
  const lines = block.trim().split('\n')
  expect(lines.length).toBe(2)
  for (const [index, line] of lines.entries()) {
    const text = fill(line.replace(/--at \S+/, `--at ${backedUpAt.toISOString().slice(0, 19)}Z`))
    expect(await run(text, { WINDLASS_HOME: join(root, `restored-${index}`) })).toContain('restored')
  }
}
