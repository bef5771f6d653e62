import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { wordOf, type Cell } from './csv-amounts.ts'
import { StatementError } from './statement.ts'

type BookingState = 'booked' | 'pending' | 'failed'

/** Usual words of banks, compared in capitals and without accents. Nobody has to agree with them: they are proposals. */
const usual: Record<BookingState, string> = {
  booked: `
    BOOKED, POSTED, COMPLETED, COMPLETE, SETTLED, CLEARED, EXECUTED, SUCCESS, SUCCESSFUL, SUCCEEDED, DONE, PROCESSED,
    PAID, FINAL, OK, GEBUCHT, UMSATZ GEBUCHT, VERBUCHT, AUSGEFUHRT, ABGESCHLOSSEN, ERLEDIGT, CONTABILIZADO,
    CONTABILIZADA, COMPLETADO, COMPLETADA, REALIZADO, REALIZADA, EJECUTADO, EJECUTADA, LIQUIDADO, LIQUIDADA,
    COMPTABILISE, COMPTABILISEE, EFFECTUE, EFFECTUEE, EXECUTE, EXECUTEE, TERMINE, TERMINEE, CONTABILIZZATO,
    CONTABILIZZATA, ESEGUITO, ESEGUITA, COMPLETATO, COMPLETATA, EFETUADO, EFETUADA, CONCLUIDO, CONCLUIDA, GEBOEKT,
    VERWERKT, VOLTOOID, UITGEVOERD, ZAKSIEGOWANO, ZREALIZOWANO, ZREALIZOWANA`,
  pending: `
    PENDING, PROCESSING, IN PROGRESS, INITIATED, SCHEDULED, AUTHORIZED, AUTHORISED, AUTHORIZATION, RESERVED, ON HOLD,
    HOLD, HELD, WAITING, QUEUED, UNPOSTED, NOT POSTED, NOT BOOKED, CREATED, SUBMITTED, VORGEMERKT, UMSATZ VORGEMERKT,
    VORMERKUNG, AUSSTEHEND, IN BEARBEITUNG, OFFEN, GEPLANT, RESERVIERT, PENDIENTE, EN PROCESO, EN CURSO, RETENIDO,
    RETENIDA, PROGRAMADO, PROGRAMADA, EN ATTENTE, EN COURS, A VENIR, IN ATTESA, IN CORSO, IN LAVORAZIONE,
    NON CONTABILIZZATO, PENDENTE, EM PROCESSAMENTO, AGENDADO, AGENDADA, IN BEHANDELING, GERESERVEERD, GEPLAND,
    OCZEKUJACE, OCZEKUJACA, W TRAKCIE`,
  failed: `
    FAILED, FAILURE, REVERTED, REVERSED, DECLINED, REJECTED, CANCELLED, CANCELED, RETURNED, VOID, VOIDED, EXPIRED,
    ERROR, DENIED, REFUSED, BLOCKED, FEHLGESCHLAGEN, ABGELEHNT, ABGEWIESEN, ZURUCKGEWIESEN, STORNIERT, WIDERRUFEN,
    ABGEBROCHEN, RECHAZADO, RECHAZADA, FALLIDO, FALLIDA, ANULADO, ANULADA, CANCELADO, CANCELADA, DEVUELTO, DEVUELTA,
    REVERTIDO, REVERTIDA, DENEGADO, DENEGADA, REFUSE, REFUSEE, REJETE, REJETEE, ECHOUE, ECHOUEE, ANNULE, ANNULEE,
    RESPINTO, RESPINTA, RIFIUTATO, RIFIUTATA, ANNULLATO, ANNULLATA, FALLITO, FALLITA, RECUSADO, RECUSADA, REJEITADO,
    REJEITADA, ESTORNADO, ESTORNADA, FALHOU, MISLUKT, GEWEIGERD, GEANNULEERD, AFGEWEZEN, ODRZUCONO, ODRZUCONA,
    ANULOWANO, ANULOWANA`,
}
const bookingStates = ['booked', 'pending', 'failed'] as const
const known = new Map(
  bookingStates.flatMap(state => usual[state].split(',').map(word => [word.trim(), state] as const)),
)
const LONGEST_WORD = 30
const HEAD = /\b(STATE|STATUS|ZUSTAND|\w+STATUS|ESTADO|ESTATUS|SITUACION|STATUT|ETAT|STATO|SITUACAO)\b/

/** What a usual word says; undefined: none of them. */
export const usualState = (text: string): BookingState | undefined =>
  text.length > LONGEST_WORD ? undefined : known.get(wordOf(text))

/** Whether a column is named as those are that say whether a booking counts. */
export const isStateHead = (head: string): boolean => HEAD.test(wordOf(head))

/** The words that are assigned to more than one state, which would be a guess. */
export function wordsAssignedTwice({ state }: Pick<CsvColumns, 'state'>): string[] {
  const all = bookingStates.flatMap(each => [...new Set(state?.[each].map(wordOf))])
  return all.filter((word, place) => all.indexOf(word) !== place)
}

/**
 * Whether a row is booked, pending or failed, by the words that were assigned. Where no column is assigned, a file that
 * seems to have one is refused at the first row that may not be money.
 */
export function createStates(columns: CsvColumns, heads: readonly string[]) {
  const { state } = columns
  if (!state) return refuseUnassigned(columns, heads)
  const assigned = new Map(
    bookingStates.flatMap(each => state[each].map(word => [wordOf(word), each] as const)),
  )
  return (cell: Cell, where: string): BookingState => {
    const text = cell(state.column)
    const found = assigned.get(wordOf(text))
    if (found) return found
    throw new StatementError(
      `${where} has “${text.slice(0, 40)}” in the column “${state.column}”. Say in the columns of this CSV whether that is booked, pending or failed.`,
    )
  }
}

function refuseUnassigned(columns: CsvColumns, heads: readonly string[]) {
  const used = new Set(Object.values(columns).flat())
  const free = heads.filter(head => head !== '' && !used.has(head))
  const named = new Set(free.filter(isStateHead))
  // Without such a name: columns that have had nothing but usual words.
  const unnamed = new Set(free.filter(head => !named.has(head)))
  return (cell: Cell, where: string): BookingState => {
    for (const head of [...named, ...unnamed]) {
      const text = cell(head)
      const state = text === '' ? 'booked' : usualState(text)
      if (state === undefined && unnamed.delete(head)) continue
      if (state !== 'booked')
        throw new StatementError(
          `${where} has “${text.slice(0, 40)}” in the column “${head}”, so it may be no money. Say in the columns of this CSV what the words of that column mean.`,
        )
    }
    return 'booked'
  }
}
