import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Blocked money', 'Dinero bloqueado'),
  lead: text(
    'What does not leave because a hit of a list was confirmed. Tell the authority what your law asks for. OFAC wants a report within ten business days.',
    'Lo que no sale porque se confirmó una coincidencia con una lista. Comunique a la autoridad lo que pide su ley. La OFAC quiere un informe en diez días hábiles.',
  ),
  json: text('Save report (JSON)', 'Guardar informe (JSON)'),
  csv: text('Save report (CSV)', 'Guardar informe (CSV)'),
  empty: {
    title: text('Nothing is blocked', 'No hay nada bloqueado'),
    detail: text(
      'Money of a confirmed hit is listed here with what a report needs.',
      'El dinero de una coincidencia confirmada se lista aquí con lo que necesita un informe.',
    ),
  },
  columns: {
    name: text('Name', 'Nombre'),
    entry: text('On the list', 'En la lista'),
    amount: text('Amount', 'Importe'),
    blockedAt: text('Blocked', 'Bloqueado'),
    reportBy: text('Report by', 'Informar antes del'),
    status: text('Status', 'Estado'),
  },
  blocked: text('Blocked', 'Bloqueado'),
  released: text('Released', 'Liberado'),
})
