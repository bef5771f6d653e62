import { ConfigError } from '@windlass/service/process/env.ts'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, watchFile } from 'node:fs'
import { join } from 'node:path'
import { type Command, readOptions, UsageError } from '../command.ts'
import { type Home, whereElse } from '../home.ts'
import { requested } from '../interruption.ts'
import { logFilesOf, readableLogLine } from '../log-files.ts'
import { askPlatformScript, type Where } from './platform-script.ts'

export const logs: Command = {
  summary:
    'shows the log of a service or an anchor, or of one request through all of them; --follow keeps showing it',
  usage: `npm run logs -- [service or anchor] [--request id] [--filter text] [--follow] [--json]

Without either: the last lines of every log. The files are in WINDLASS_HOME/logs; --request and --filter look through the
older ones too (.1 to .3).
An anchor's servers: its subdomain, or a part of their logs' names (<anchor id>-sep, -business).
  --request   only lines with this request id (X-Request-Id, or requestId of a problem), from all logs in order of time
  --filter    only lines that contain this, such as the id of a job, in order of time
  --follow    keeps showing what is written, until Ctrl-C
  --json      lines as they were written, each with its log's name`,
  run: async ({ args, environment, home, progress }) => {
    const { flags, values, words } = readOptions(args, ['follow', 'json'], ['request', 'filter'], 1)
    const all = logNames(home)
    if (all.length === 0) throw new ConfigError(`There are no logs in ${home.logs}. ${whereElse(home)}`)
    const [word] = words
    const names = word === undefined ? all : await pickLogs(word, all, { environment, home })
    const sought = [...values.request, ...values.filter]
    const show = (entry: Entry) =>
      progress.plain(formatEntry(entry, { json: flags.json, named: names.length > 1 && sought.length > 0 }))
    const wanted = (text: string) => text !== '' && sought.every(each => text.includes(each))
    const kept = word === undefined ? 8 : 100
    if (sought.length > 0) {
      const entries = names.flatMap(name =>
        logFilesOf(home, name).flatMap(file => linesOf(name, file, wanted)),
      )
      entries.toSorted((a, b) => a.time - b.time).forEach(show)
      if (entries.length === 0)
        process.stderr.write(
          `No line in ${word ?? 'the logs'} contains ${sought.map(each => `"${each}"`).join(' and ')}.\n`,
        )
    } else {
      for (const name of names) {
        if (names.length > 1 && !flags.json) progress.heading(name)
        const newest = logFilesOf(home, name).slice(-1)
        newest
          .flatMap(file => linesOf(name, file, wanted))
          .slice(-kept)
          .forEach(show)
      }
    }
    if (flags.follow) await follow(home, names, entry => wanted(entry.text) && show(entry))
    return 0
  },
}

interface Entry {
  log: string
  text: string
  /** Milliseconds since 1970; 0 where the line has none. */
  time: number
}

const entryOf = (log: string, text: string): Entry => ({
  log,
  text,
  time: Number(/"time":(\d{12,})/.exec(text)?.[1] ?? 0),
})

const linesOf = (log: string, file: string, wanted: (text: string) => boolean): Entry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(wanted)
    .map(text => entryOf(log, text))

function formatEntry({ log, text }: Entry, { json, named }: { json: boolean; named: boolean }): string {
  if (json) return JSON.stringify({ log, ...parsed(text) })
  return named ? `${log}: ${readableLogLine(text)}` : readableLogLine(text)
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    return { msg: text }
  }
}

/** Names of the logs below the folder, with those of anchors' servers: `platform-api`, `anchors/<id>-sep`. */
function logNames(home: Home): string[] {
  if (!existsSync(home.logs)) return []
  return readdirSync(home.logs, { recursive: true, encoding: 'utf8' })
    .flatMap(file => (file.endsWith('.log') ? [file.slice(0, -4)] : []))
    .sort()
}

/** The log that the word names, or is a part of, or those of the anchor's servers whose subdomain it is. */
async function pickLogs(word: string, names: readonly string[], where: Where): Promise<string[]> {
  if (names.includes(word)) return [word]
  const matching = names.filter(name => name.includes(word))
  if (matching.length === 1) return matching
  if (matching.length > 1) throw new UsageError(`Several logs match "${word}". Logs: ${matching.join(', ')}.`)
  const anchors = (await listAnchors(where)).map(anchor => ({
    subdomain: anchor.homeDomain.split('.')[0] ?? '',
    logs: names.filter(name => name.includes(anchor.id)),
  }))
  const found = anchors.find(({ subdomain }) => subdomain === word)
  if (found && found.logs.length > 0) return found.logs
  const subdomains = anchors.filter(({ logs: own }) => own.length > 0).map(({ subdomain }) => subdomain)
  throw new UsageError(
    `There is no log of "${word}". Logs: ${names.join(', ')}.` +
      (subdomains.length > 0 ? ` Anchors: ${subdomains.join(', ')}.` : ''),
  )
}

/** Anchors with their home domains; none where no stack runs, for nobody knows them then. */
async function listAnchors(where: Where): Promise<{ id: string; homeDomain: string }[]> {
  try {
    return JSON.parse((await askPlatformScript('anchors/main.ts', ['all', 'json'], where)) || '[]')
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

async function follow(home: Home, names: readonly string[], print: (entry: Entry) => unknown): Promise<void> {
  for (const name of names) {
    const file = join(home.logs, `${name}.log`)
    let position = statSync(file).size
    watchFile(file, { interval: 300 }, ({ size }) => {
      // Log rotation emptied it.
      if (size < position) position = 0
      if (size === position) return
      createReadStream(file, { start: position, end: size - 1, encoding: 'utf8' }).on('data', chunk => {
        for (const text of String(chunk).trimEnd().split('\n')) print(entryOf(name, text))
      })
      position = size
    })
  }
  await requested().happened
}
