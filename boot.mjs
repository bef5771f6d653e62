// The way in, without dependencies. Installs what is missing, then hands over to the Node the project brings from the npm
// registry. Node 22.22 and later are supported; 20 still gets this far, with npm's warnings about packages.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
/** More files than this do not fail by chance. */
const MAX_RERUN_FILES = 8
const CACHE = join(ROOT, 'node_modules', '.cache', 'windlass')
const TEST_RESULTS = join(CACHE, 'test-results.json')
const LAUNCHER = 'apps/windlass/main.ts'
const COMMANDS = {
  demo: flags => [[LAUNCHER, 'demo', ...flags]],
  start: flags => [[LAUNCHER, 'start', ...flags]],
  stop: flags => [[LAUNCHER, 'stop', ...flags]],
  status: flags => [[LAUNCHER, 'status', ...flags]],
  logs: flags => [[LAUNCHER, 'logs', ...flags]],
  doctor: flags => [[LAUNCHER, 'doctor', ...flags]],
  build: flags => [[LAUNCHER, 'build', ...flags]],
  dev: flags => [[LAUNCHER, 'dev', ...flags]],
  help: flags => [[LAUNCHER, 'help', ...flags]],
  api: flags => [['packages/api-documents/print.ts', ...flags]],
  release: flags => [['apps/windlass/release/main.ts', ...flags]],
  change: flags => [['node_modules/@changesets/cli/bin.js', ...flags]],
  bench: flags => [['bench/main.ts', ...flags]],
  test: flags => [tests(TEST_RESULTS, [...modeOf(flags), ...flags])],
  check: flags => [['packages/testing/check.ts', ...flags]],
}

const [command = 'help', ...flags] = process.argv.slice(2)
process.exitCode = await main(command, flags)

async function main(name, flags) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    return fail(`Windlass needs Node 22.22 or newer to start from; this is Node ${process.versions.node}.`)
  }
  if (process.platform === 'win32') {
    return fail(
      'Windlass does not run on Windows itself, where it could not tell its processes from others. Use WSL 2 ' +
        '(https://learn.microsoft.com/windows/wsl/install) and start it there.',
    )
  }
  const steps = Object.hasOwn(COMMANDS, name) ? COMMANDS[name](flags) : [[LAUNCHER, name, ...flags]]
  if (!isInstalled()) {
    const code = await installOnce()
    if (code !== 0) return code
  }
  const node = findNode()
  if (node === undefined) {
    return fail(
      `Windlass runs on Node 24. npm has none for ${process.platform} on ${process.arch}, and this is Node ` +
        `${process.versions.node}: install Node 24 (https://nodejs.org) and start again.`,
    )
  }
  // A run that ends before it can count must not find what an earlier one counted.
  if (name === 'test') rmSync(TEST_RESULTS, { force: true })
  const started = Date.now()
  for (const step of steps) {
    const code = await run(node, step)
    if (name === 'test') return countTests(node, code, flags, started)
    if (code !== 0) return code
  }
  return 0
}

/** npm writes down what it installed; every package of the lockfile must be there in the same version. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
    const found = JSON.parse(readFileSync(join(ROOT, 'node_modules', '.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(([path, entry]) => {
      if (!path.includes('node_modules/')) return true
      const installed = found[path]
      if (installed === undefined) return entry.optional === true || entry.peer === true
      return installed.version === entry.version && Boolean(installed.link) === Boolean(entry.link)
    })
  } catch {
    return false
  }
}

/** Two first starts at once must not install into the same folder: the second waits for the first. */
async function installOnce() {
  const lock = join(ROOT, '.windlass', 'install.lock')
  mkdirSync(dirname(lock), { recursive: true })
  for (let waited = 0; ; waited++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!isAlive(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true })
      else if (waited === 0) console.log('Another start is installing already; waiting for it.')
      await new Promise(resolve => setTimeout(resolve, 300))
    }
  }
  try {
    return isInstalled() ? 0 : await install()
  } finally {
    rmSync(lock, { force: true })
    if (readdirSync(dirname(lock)).length === 0) rmdirSync(dirname(lock))
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function install() {
  const started = Date.now()
  const total = packagesForThisMachine()
  console.log(`Installing dependencies from the npm registry (${total} packages) …`)
  const [program, args] = npmProgram()
  const options = ['ci', '--include=dev', '--include=optional', '--loglevel=http', '--no-audit', '--no-fund']
  options.push('--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000')
  const child = spawn(program, [...args, ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stopForwarding = forwardSignals(child)
  const progress = showProgress(started)
  const tail = []
  for (const stream of [child.stdout, child.stderr]) {
    onLines(stream, line => {
      if (/^npm http /.test(line)) return progress.count(/[.]tgz/.test(line))
      tail.push(line)
      if (tail.length > 200) tail.shift()
    })
  }
  const code = await exitOf(child)
  stopForwarding()
  progress.end()
  if (code === 0) {
    console.log(`Installed in ${seconds(started)}.`)
    return 0
  }
  if (code === 'ENOENT') {
    return fail('npm was not found. It comes with Node (https://nodejs.org); on Debian: apt-get install npm.')
  }
  const errors = tail.filter(line => /^npm (error|ERR!)(?! +at )/.test(line))
  console.error((errors.length > 0 ? errors.slice(0, 15) : tail.slice(-15)).join('\n'))
  return fail(`npm could not install the dependencies. ${hintFor(tail.join('\n'))}`)
}

function packagesForThisMachine() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.values(packages).filter(
    ({ link, version, os = [process.platform], cpu = [process.arch] }) =>
      !link && version && os.includes(process.platform) && cpu.includes(process.arch),
  ).length
}

/** The npm that runs us, when one does: the one in the PATH may be another, or none. */
function npmProgram() {
  const running = process.env.npm_execpath
  if (running && /npm-cli\.c?js$/.test(running) && existsSync(running)) return [process.execPath, [running]]
  return ['npm', []]
}

function hintFor(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/i.test(output)) {
    return 'The npm registry cannot be reached: check the network, or a proxy or mirror in ~/.npmrc.'
  }
  if (/ENOSPC/.test(output)) return 'The disk is full.'
  if (/EACCES|EPERM/.test(output))
    return `This user may not write to ${ROOT} or to npm's cache (npm config get cache).`
  return 'What it says is above.'
}

/** npm first looks every package up, then fetches it. */
function showProgress(started) {
  let lookedUp = 0
  let fetched = 0
  let printed = 0
  const timer = setInterval(() => {
    const line = `  ${lookedUp} packages looked up, ${fetched} fetched, ${seconds(started)}`
    if (process.stdout.isTTY) process.stdout.write(`\r${line} `)
    else if (Date.now() - printed >= 5000) {
      printed = Date.now()
      console.log(line)
    }
  }, 500)
  return {
    count: isPackage => {
      if (isPackage) fetched += 1
      else lookedUp += 1
    },
    end: () => {
      clearInterval(timer)
      if (process.stdout.isTTY) process.stdout.write('\r')
    },
  }
}

function onLines(stream, listener) {
  let rest = ''
  stream.setEncoding('utf8').on('data', chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') listener(line)
  })
}

/** Node 24 as npm installed it; where npm has none for this platform, our own if it runs TypeScript as it stands. */
function findNode() {
  const installed = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(installed)) return installed
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined
}

async function run(node, [script, ...args]) {
  if (!existsSync(join(ROOT, script))) return fail(`${script} is not part of this checkout.`)
  const child = spawn(node, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    // Whatever this starts by the name of "node" is to be the same Node.
    env: {
      ...process.env,
      ...compiledOnce(script),
      PATH: dirname(node) + delimiter + (process.env.PATH ?? ''),
    },
  })
  const stopForwarding = forwardSignals(child)
  const code = await exitOf(child)
  stopForwarding()
  return typeof code === 'number' ? code : fail(`${node} could not be started: ${code}`)
}

/** Half of what the command needs to load is compiling what has not changed. Services get caches of their own from it. */
function compiledOnce(script) {
  if (script !== LAUNCHER) return {}
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(CACHE, 'compiled', 'launcher') }
}

function forwardSignals(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const listeners = signals.map(signal => [signal, () => child.kill(signal)])
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

/** The exit code, 128 and more for a signal as shells have it, or the error code when it could not be started. */
function exitOf(child) {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }
  return new Promise(resolve => {
    child.once('error', error => resolve(error.code ?? error.message))
    child.once('close', (code, signal) => resolve(code ?? 128 + (numbers[signal] ?? 0)))
  })
}

function tests(results, flags) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  return ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...flags]
}

/** Without a file named, `npm test` runs each behaviour once; vitest.config.ts says what it leaves to `npm run test:long`. */
function modeOf(flags) {
  const chosen = flags.some(flag => !flag.startsWith('-') || /^--(mode|root|project)\b/.test(flag))
  return chosen ? [] : ['--mode=short']
}

/** The last line of `npm test`; a run in which nothing was tested has not passed. */
async function countTests(node, code, flags, started) {
  const results = readResults(TEST_RESULTS)
  if (results === undefined) return fail('The tests left no results.')
  results.code = code
  const failures = results.testResults.filter(({ status }) => status === 'failed')
  // A run of some files alone is not repeated; one of everything, or of a product with tests of its own, is.
  const kept = flags.filter(flag => /^--(root=|mode=long$)/.test(flag))
  if (kept.length < flags.length) return printCounts(results)
  const again = failures.length > 0 && failures.length <= MAX_RERUN_FILES
  const counted = again
    ? await runFailuresAlone(node, results, failures, [...modeOf(flags), ...kept])
    : results
  printCost(results, started)
  return printCounts(counted)
}

/** What a run costs, so that it does not grow unseen. Processor time does not depend on what else the machine does. */
function printCost({ testResults }, started) {
  const files = testResults.map(({ name, startTime, endTime }) => ({ name, took: endTime - startTime }))
  const longest = files.toSorted((one, other) => other.took - one.took).slice(0, 10)
  console.log(`The longest files of ${files.length}:`)
  for (const { name, took } of longest)
    console.log(`${(took / 1000).toFixed(1).padStart(7)} s ${relative(ROOT, name)}`)
  console.log(`${seconds(started)}${processorSeconds()}`)
}

/** What all processes used that this one or one of its own waited for, as Linux counts it in hundredths of a second. */
function processorSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    return `, ${Math.round((Number(fields[13]) + Number(fields[14])) / 100)} s of processor time`
  } catch {
    return ''
  }
}

/** A test that fails beside the others and passes alone is named: it, or what it tests, depends on speed. */
async function runFailuresAlone(node, results, failures, kept) {
  console.log(`Running the ${failures.length} failed files again, one at a time.`)
  const file = `${TEST_RESULTS}.again`
  rmSync(file, { force: true })
  const code = await run(node, tests(file, [...kept, '--maxWorkers=1', ...failures.map(({ name }) => name)]))
  const alone = readResults(file)
  if (alone === undefined) return { ...results, code: 1 }
  const failed = new Set(alone.testResults.flatMap(failuresOf).map(({ test }) => test))
  for (const { test, why } of failures.flatMap(failuresOf))
    if (!failed.has(test))
      console.log(`UNSTABLE (failed beside other tests, passed alone): ${test}\n${shortened(why)}`)
  const passedBefore = failures.flatMap(each =>
    each.assertionResults.filter(({ status }) => status === 'passed'),
  )
  return {
    testResults: alone.testResults,
    numPassedTests: results.numPassedTests - passedBefore.length + alone.numPassedTests,
    numPendingTests: results.numPendingTests,
    code,
  }
}

/** The failed tests of a file, or the file itself where it failed outside of a test: while loading, in a hook. */
function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  const file = relative(ROOT, name)
  if (status === 'failed' && failed.length === 0)
    return [{ test: `${file} (outside of its tests)`, why: message }]
  return failed.map(({ fullName, failureMessages }) => ({
    test: `${file} > ${fullName}`,
    why: failureMessages.join('\n'),
  }))
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Ends with what a reader of the last lines alone needs: what failed, and the counts. */
function printCounts({ testResults, numPassedTests: passed, numPendingTests: skipped, code }) {
  const failed = testResults.flatMap(failuresOf)
  if (code !== 0 && failed.length === 0)
    failed.push({ test: 'an error outside of every test', why: 'See "Unhandled Errors" above.' })
  for (const { test, why } of failed) console.log(`FAILED: ${test}\n${shortened(why)}`)
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${passed} passed, ${failed.length} failed`)
  return failed.length > 0 || passed === 0 ? Math.max(code, 1) : 0
}

function shortened(why) {
  const lines = why.split('\n', 6)
  return lines.map(line => `    ${line.slice(0, 300)}`).join('\n')
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}

function fail(message) {
  console.error(message)
  return 1
}
