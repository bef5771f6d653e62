/*
 * What ISO 20022's schema of pain.001.001.09 asks of the elements that our files have. Others are refused, although the schema
 * knows them: what we never write is a mistake.
 */

export interface XmlNode {
  name: string
  uri: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: XmlNode[]
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
/** More payments than a file of ours ever has. */
const MANY = 100_000

type Rule = readonly [child: string, least: number, most: number]
const one = (child: string): Rule => [child, 1, 1]
const many = (child: string): Rule => [child, 1, MANY]
const maybe = (child: string): Rule => [child, 0, 1]

const party = [one('Nm')]
const agent = [one('FinInstnId')]
const account = [one('Id')]
const sums = [one('NbOfTxs'), one('CtrlSum')]

/** The children of an element, in their order. By path where a name has several meanings. */
const ELEMENTS: Readonly<Record<string, readonly Rule[]>> = {
  Document: [one('CstmrCdtTrfInitn')],
  CstmrCdtTrfInitn: [one('GrpHdr'), one('PmtInf')],
  GrpHdr: [one('MsgId'), one('CreDtTm'), ...sums, one('InitgPty')],
  PmtInf: [
    ...[one('PmtInfId'), one('PmtMtd'), one('BtchBookg'), ...sums, one('PmtTpInf'), one('ReqdExctnDt')],
    ...[one('Dbtr'), one('DbtrAcct'), one('DbtrAgt'), one('ChrgBr'), many('CdtTrfTxInf')],
  ],
  PmtTpInf: [one('SvcLvl')],
  SvcLvl: [one('Cd')],
  ReqdExctnDt: [one('Dt')],
  CdtTrfTxInf: [...[one('PmtId'), one('Amt'), maybe('CdtrAgt'), one('Cdtr'), one('CdtrAcct'), one('RmtInf')]],
  PmtId: [one('EndToEndId')],
  Amt: [one('InstdAmt')],
  RmtInf: [one('Ustrd')],
  ...{ InitgPty: party, Dbtr: party, Cdtr: party, DbtrAgt: agent, CdtrAgt: agent },
  ...{ DbtrAcct: account, CdtrAcct: account },
  'DbtrAcct/Id': [one('IBAN')],
  'CdtrAcct/Id': [one('IBAN')],
  Othr: [one('Id')],
}

const id = /^[^\s/].{0,33}[^\s/]$|^[^\s/]$/
const decimal = /^\d{1,16}\.\d\d$/

const TEXTS: Readonly<Record<string, RegExp>> = {
  ...{ MsgId: id, PmtInfId: id, EndToEndId: id },
  CreDtTm: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  Dt: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  ...{ NbOfTxs: /^\d{1,15}$/, CtrlSum: decimal, InstdAmt: decimal },
  ...{ PmtMtd: /^TRF$/, BtchBookg: /^(?:true|false)$/, Cd: /^SEPA$/, ChrgBr: /^SLEV$/ },
  Nm: /^(?=.*\S).{1,70}$/,
  Ustrd: /^.{1,140}$/,
  IBAN: /^[A-Z]{2}\d{2}[A-Za-z0-9]{1,30}$/,
  BICFI: /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/,
  'Othr/Id': /^NOTPROVIDED$/,
}

/** What in a document is not as the schema asks. */
export function pain001Faults(document: XmlNode): string[] {
  if (document.name !== 'Document' || document.uri !== NAMESPACE) return ['it is no pain.001.001.09']
  return faultsIn(document, '')
}

function faultsIn(node: XmlNode, parent: string): string[] {
  const path = `${parent}/${node.name}`
  if (node.uri !== NAMESPACE) return [`${node.name} is of another schema`]
  const names = node.children.map(({ name }) => name)
  if (node.name === 'FinInstnId') {
    // A bank by its BIC, or NOTPROVIDED: the IBAN names the bank.
    const [name = ''] = names
    if (names.length !== 1 || !['BICFI', 'Othr'].includes(name)) return ['FinInstnId names no bank']
  } else {
    const rules = ELEMENTS[path] ?? ELEMENTS[node.name]
    const form = TEXTS[path] ?? TEXTS[node.name]
    if (!rules && !form) return [`${node.name} is not known`]
    if (!rules)
      return node.children.length === 0 && form?.test(node.text)
        ? []
        : [`${node.name} is wrong: ${node.text}`]
    if (node.text.trim() !== '') return [`${node.name} has a text`]
    const expected = rules.flatMap(([name, least, most]) => {
      const count = names.filter(each => each === name).length
      return Array.from({ length: Math.min(Math.max(count, least), most) }, () => name)
    })
    if (expected.join(' ') !== names.join(' ')) return [`${node.name} has not what it must have in its order`]
  }
  return node.children.flatMap(child => faultsIn(child, node.name))
}
