import type { ListId } from '@windlass/contracts/anchor/compliance.ts'
import { CsvError, parse } from 'csv-parse'
import { SaxesParser } from 'saxes'
import { countriesIn, yearsIn, type Facts } from './names/facts.ts'

type ListSource = 'OFAC' | 'UN' | 'EU'
type ListFormat = 'ofac-xml' | 'ofac-csv' | 'un-xml' | 'eu-xml'

/** One entry of a list, with all its names. */
export interface ListEntry extends Facts {
  id: string
  names: string[]
  /** What helps to tell people apart: the program, dates of birth. */
  detail: string
}

export interface ReadList {
  source: ListSource
  list: ListId
  format: ListFormat
  /** `YYYY-MM-DD` */
  publishedOn: string | null
  entries: ListEntry[]
}

/** Why a file is refused, for the person who loads it. Nothing of it is kept. */
export class ListError extends Error {}

const CHUNK = 64 * 1024
const MAX_DEPTH = 20
const MAX_TEXT = 20_000
/** Elements of one entry. */
const MAX_NODES = 20_000
const MAX_ENTRIES = 200_000
const MAX_NAMES = 500_000
const MAX_NAME = 500

/**
 * Reads a list as its authority publishes it: OFAC's SDN list (XML or CSV), the consolidated lists of the UN and the EU
 * (XML). The format is found from the content. Document types are refused, so there are no entities of a file's own.
 *
 * @throws {ListError}
 */
export async function readList(bytes: Buffer): Promise<ReadList> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ListError('The file is not text in UTF-8.')
  }
  const read = /^\s*</.test(text.slice(0, 1000)) ? readXml(text) : await readOfacCsv(text)
  if (read.entries.length === 0) throw new ListError('The file has no entries.')
  const ids = new Set(read.entries.map(({ id }) => id))
  if (ids.size !== read.entries.length) throw new ListError('The file has an entry twice.')
  const names = read.entries.reduce((sum, entry) => sum + entry.names.length, 0)
  if (names > MAX_NAMES) throw new ListError(`The file has more than ${MAX_NAMES} names.`)
  return read
}

/** An element with what is in it. */
interface Node {
  name: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: Node[]
}

interface XmlFormat {
  source: ListSource
  format: ListFormat
  /** Elements that are entries. */
  entries: readonly string[]
  /** Elements about the file. */
  heads: readonly string[]
  /** From the root or a head. */
  publishedOn(node: Node): string | null
  entryOf(node: Node): ListEntry
}

const textsOf = (node: Node, path: string): string[] => {
  const [first, ...rest] = path.split('/')
  const found = node.children.filter(({ name }) => name === first)
  if (rest.length === 0) return found.map(({ text }) => clean(text)).filter(Boolean)
  return found.flatMap(each => textsOf(each, rest.join('/')))
}
const nodesOf = (node: Node, path: string): Node[] => {
  const [first, ...rest] = path.split('/')
  const found = node.children.filter(({ name }) => name === first)
  return rest.length === 0 ? found : found.flatMap(each => nodesOf(each, rest.join('/')))
}
const textOf = (node: Node, path: string): string => textsOf(node, path)[0] ?? ''
const joined = (...parts: string[]): string => parts.filter(Boolean).join(' ')
const detailOf = (...parts: string[]): string => [...new Set(parts.filter(Boolean))].join('; ').slice(0, 500)
const born = (dates: readonly string[]): string => (dates.length === 0 ? '' : `born ${dates.join(', ')}`)

const lastPart = (place: string): string => place.slice(place.lastIndexOf(',') + 1)

/** `MM/DD/YYYY` */
const usDay = (text: string): string | null => {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? []
  return year ? `${year}-${month}-${day}` : null
}
const isoDay = (text = ''): string | null => /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? null

/** Addresses of wallets are compared as names are: one that is equal is a hit. */
const walletsOf = (remarks: string): string[] =>
  [...remarks.matchAll(/Digital Currency Address - \w+ ([\w:]+)/g)].map(([, address = '']) => address)

const formats: Readonly<Record<string, XmlFormat>> = {
  sdnList: {
    ...{ source: 'OFAC', format: 'ofac-xml', entries: ['sdnEntry'], heads: ['publshInformation'] },
    publishedOn: node => usDay(textOf(node, 'Publish_Date')),
    entryOf: node => {
      const named = (each: Node) => joined(textOf(each, 'firstName'), textOf(each, 'lastName'))
      const births = textsOf(node, 'dateOfBirthList/dateOfBirthItem/dateOfBirth')
      return {
        id: textOf(node, 'uid'),
        names: [
          named(node),
          ...nodesOf(node, 'akaList/aka').map(named),
          ...nodesOf(node, 'idList/id').flatMap(each =>
            walletsOf(joined(textOf(each, 'idType'), textOf(each, 'idNumber'))),
          ),
        ],
        detail: detailOf(...textsOf(node, 'programList/program'), born(births)),
        born: yearsIn(births),
        countries: countriesIn([
          ...textsOf(node, 'nationalityList/nationality/country'),
          ...textsOf(node, 'citizenshipList/citizenship/country'),
          ...textsOf(node, 'addressList/address/country'),
          ...textsOf(node, 'placeOfBirthList/placeOfBirthItem/placeOfBirth').map(lastPart),
        ]),
      }
    },
  },
  CONSOLIDATED_LIST: {
    ...{ source: 'UN', format: 'un-xml', entries: ['INDIVIDUAL', 'ENTITY'], heads: [] },
    publishedOn: ({ attributes }) => isoDay(attributes.dateGenerated),
    entryOf: node => {
      const parts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
      const births = ['DATE', 'YEAR'].flatMap(name => textsOf(node, `INDIVIDUAL_DATE_OF_BIRTH/${name}`))
      return {
        id: textOf(node, 'DATAID'),
        names: [
          joined(...parts.map(part => textOf(node, part))),
          ...textsOf(node, 'NAME_ORIGINAL_SCRIPT'),
          ...textsOf(node, 'INDIVIDUAL_ALIAS/ALIAS_NAME'),
          ...textsOf(node, 'ENTITY_ALIAS/ALIAS_NAME'),
        ],
        detail: detailOf(textOf(node, 'UN_LIST_TYPE'), textOf(node, 'REFERENCE_NUMBER'), born(births)),
        born: yearsIn([
          ...births,
          ...nodesOf(node, 'INDIVIDUAL_DATE_OF_BIRTH').map(each =>
            joined(textOf(each, 'FROM_YEAR'), textOf(each, 'TO_YEAR')),
          ),
        ]),
        countries: countriesIn([
          ...textsOf(node, 'NATIONALITY/VALUE'),
          ...textsOf(node, 'INDIVIDUAL_PLACE_OF_BIRTH/COUNTRY'),
          ...textsOf(node, 'INDIVIDUAL_ADDRESS/COUNTRY'),
        ]),
      }
    },
  },
  export: {
    ...{ source: 'EU', format: 'eu-xml', entries: ['sanctionEntity'], heads: [] },
    publishedOn: ({ attributes }) => isoDay(attributes.generationDate),
    entryOf: node => {
      const births = nodesOf(node, 'birthdate')
      const dates = births.flatMap(({ attributes: { birthdate, year } }) => birthdate || year || [])
      return {
        id: node.attributes.euReferenceNumber || node.attributes.logicalId || '',
        names: nodesOf(node, 'nameAlias').map(
          ({ attributes: { wholeName, firstName, middleName, lastName } }) =>
            clean(wholeName || joined(firstName ?? '', middleName ?? '', lastName ?? '')),
        ),
        detail: detailOf(
          ...nodesOf(node, 'regulation').map(({ attributes }) => attributes.programme ?? ''),
          born(dates),
        ),
        born: yearsIn(dates),
        countries: countriesIn(
          [...births, ...nodesOf(node, 'citizenship'), ...nodesOf(node, 'address')].map(
            // The EU writes 00 for a country that it does not know.
            ({ attributes: { countryIso2Code = '' } }) => countryIso2Code.replace('00', ''),
          ),
        ),
      }
    },
  },
}

function readXml(text: string): ReadList {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const open: Node[] = []
  const entries: ListEntry[] = []
  const file = { format: null as XmlFormat | null, publishedOn: null as string | null, claimed: '' }
  let [depth, nodes, seen] = [0, 0, 0]
  const where = () => `Entry ${seen + 1}`
  parser.on('error', ({ message }) => {
    throw new ListError(`The file is not complete XML: ${message.slice(0, 200)}`)
  })
  parser.on('doctype', () => {
    throw new ListError('The file has a document type, which lists do not have.')
  })
  parser.on('opentag', ({ local, attributes }) => {
    depth += 1
    if (depth > MAX_DEPTH) throw new ListError('The file nests its elements too deeply.')
    const given = Object.values(attributes).map(({ local: name, value }) => [name, value] as const)
    const node: Node = { name: local, attributes: Object.fromEntries(given), text: '', children: [] }
    if (depth === 1) {
      const format = Object.hasOwn(formats, local) ? formats[local] : undefined
      if (!format)
        throw new ListError(`The file is no list that can be read: it has <${local.slice(0, 60)}>.`)
      Object.assign(file, { format, publishedOn: format.publishedOn(node) })
      return
    }
    const { format } = file
    if (open.length === 0 && !format?.entries.includes(local) && !format?.heads.includes(local)) return
    if (open.length === 0) nodes = 0
    nodes += 1
    if (nodes > MAX_NODES) throw new ListError(`${where()} has too many elements.`)
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  const onText = (part: string) => {
    const node = open.at(-1)
    if (!node) return
    node.text += part
    if (node.text.length > MAX_TEXT) throw new ListError(`${where()} has a text that is too long.`)
  }
  parser.on('text', onText)
  parser.on('cdata', onText)
  parser.on('closetag', () => {
    depth -= 1
    const node = open.pop()
    const { format } = file
    if (!node || open.length > 0 || !format) return
    if (format.heads.includes(node.name)) {
      Object.assign(file, { publishedOn: format.publishedOn(node), claimed: textOf(node, 'Record_Count') })
      return
    }
    const entry = complete(format.entryOf(node), where())
    // Without a name there is nothing to compare.
    if (entry.names.length > 0) entries.push(entry)
    seen += 1
    if (seen > MAX_ENTRIES) throw new ListError(`The file has more than ${MAX_ENTRIES} entries.`)
  })
  for (let at = 0; at < text.length; at += CHUNK) parser.write(text.slice(at, at + CHUNK))
  parser.close()
  const { format, publishedOn, claimed } = file
  if (!format) throw new ListError('The file has no content.')
  if (claimed !== '' && Number(claimed) !== seen)
    throw new ListError(`The file says that it has ${claimed} entries, and has ${seen}.`)
  const { source } = format
  return { source, list: listIdOf(source, entries), format: format.format, publishedOn, entries }
}

/** Programs of OFAC whose names are not blocked: nearly all entries of its consolidated list, and few of its SDN list. */
const NOT_BLOCKED = /\b(?:NS-PLC|561-Related|UKRAINE-EO13662|CMIC-EO13959|CAPTA|NS-MBS|NS-ISA)\b/

/** Which list of its authority it is: OFAC's two are in one format. */
function listIdOf(source: ListSource, entries: readonly ListEntry[]): ListId {
  if (source !== 'OFAC') return source === 'UN' ? 'un-consolidated' : 'eu-consolidated'
  const notBlocked = entries.filter(({ detail }) => NOT_BLOCKED.test(detail)).length
  return notBlocked > entries.length / 2 ? 'ofac-consolidated' : 'ofac-sdn'
}

const COLUMNS = 12
/** OFAC's mark for an empty cell. */
const cell = (text = ''): string => (text.trim() === '-0-' ? '' : clean(text))

/** SDN.CSV: number, name, type, program, …, remarks; no head. It has no aliases, except in remarks. */
async function readOfacCsv(text: string): Promise<ReadList> {
  // The file ends with Ctrl-Z.
  const rows = parse(text.replace(/\u001a\s*$/, ''), {
    bom: true,
    skip_empty_lines: true,
    max_record_size: MAX_TEXT,
  })
  const entries: ListEntry[] = []
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      const where = `Row ${entries.length + 1}`
      if (row.length !== COLUMNS || !/^\d{1,9}$/.test(row[0]?.trim() ?? ''))
        throw new ListError(`${where} is no entry of OFAC's SDN.CSV, which has ${COLUMNS} columns.`)
      const [id = '', name, , program, ...rest] = row.map(cell)
      const remarks = rest.at(-1) ?? ''
      const aliases = [...remarks.matchAll(/a\.k\.a\. '(.+?)'(?=\s*(?:[;.()]|$))/g)].map(
        ([, alias = '']) => alias,
      )
      if (!name) throw new ListError(`${where} has no name.`)
      entries.push(
        complete(
          {
            ...{ id, names: [name, ...aliases, ...walletsOf(remarks)] },
            ...{ detail: detailOf(program ?? '', remarks), ...factsIn(remarks) },
          },
          where,
        ),
      )
      if (entries.length > MAX_ENTRIES) throw new ListError(`The file has more than ${MAX_ENTRIES} entries.`)
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new ListError(`The file is not complete CSV: ${error.message.slice(0, 200)}`)
    throw error
  } finally {
    rows.destroy()
  }
  return { source: 'OFAC', list: listIdOf('OFAC', entries), format: 'ofac-csv', publishedOn: null, entries }
}

/** Years and countries in the remarks of a row. */
const factsIn = (remarks: string): Facts => {
  const parts = remarks.split(/;\s*|\.\s*$/)
  const saidAs = (what: RegExp) => parts.filter(part => what.test(part)).map(part => part.replace(what, ''))
  return {
    born: yearsIn(saidAs(/^(?:alt\. )?DOB /)),
    countries: countriesIn([
      ...saidAs(/^(?:alt\. )?(?:nationality|citizen) /),
      ...saidAs(/^(?:alt\. )?POB /).map(lastPart),
    ]),
  }
}

function complete(entry: ListEntry, where: string): ListEntry {
  const names = [...new Set(entry.names.map(clean).filter(Boolean))]
  if (entry.id === '' || entry.id.length > 100) throw new ListError(`${where} has no id.`)
  if (names.some(({ length }) => length > MAX_NAME))
    throw new ListError(`${where} has a name that is too long.`)
  return { ...entry, names }
}

/** One line of printable text. */
function clean(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f\s]+/g, ' ').trim()
}
