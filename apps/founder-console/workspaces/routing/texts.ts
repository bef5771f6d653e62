import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const routing = catalogue({
  title: text('Routing decisions', 'Decisiones de ruta'),
  lead: text(
    'Recent routing decisions that considered your anchor: your score against the winner’s, or the rule that excluded it.',
    'Decisiones recientes que consideraron su anchor: su puntuación frente a la ganadora, o la regla que lo excluyó.',
  ),
  columns: {
    at: text('Time', 'Hora'),
    request: text('Request', 'Solicitud'),
    outcome: text('Outcome', 'Resultado'),
    score: text('Score', 'Puntuación'),
    why: text('Reason', 'Motivo'),
  },
  request: text(
    (amount: string, asset: string, rail: string, country: string | undefined) =>
      `${amount} ${asset} over ${rail}${country ? `, ${country}` : ''}`,
    (amount, asset, rail, country) => `${amount} ${asset} por ${rail}${country ? `, ${country}` : ''}`,
  ),
  outcomes: {
    chosen: text('Chosen', 'Elegido'),
    outscored: text('Outscored', 'Superado'),
    rejected: text('Excluded', 'Excluido'),
  },
  score: text(
    (own: string, winning: string) => (own === winning ? own : `${own} of ${winning}`),
    (own, winning) => (own === winning ? own : `${own} de ${winning}`),
  ),
  why: text(
    (detail: string, rank: number | undefined) =>
      rank === undefined || rank === 1 ? detail : `${detail}; ranked ${rank}`,
    (detail, rank) => (rank === undefined || rank === 1 ? detail : `${detail}; puesto ${rank}`),
  ),
  empty: {
    title: text('No routing decisions yet', 'Ninguna decisión de ruta todavía'),
    detail: text(
      'When a wallet asks for a route and your anchor is considered, the outcome appears here.',
      'Cuando una billetera pide una ruta y se considera su anchor, el resultado aparece aquí.',
    ),
  },
  missed: {
    title: text('Missed routes', 'Rutas perdidas'),
    lead: text(
      'Routes for your assets that no anchor could serve, and what your anchor lacked.',
      'Rutas para sus activos que ningún anchor pudo atender, y lo que le faltó a su anchor.',
    ),
    lacking: text('What was lacking', 'Lo que faltaba'),
    empty: {
      title: text('No missed routes', 'Ninguna ruta perdida'),
      detail: text(
        'When a wallet asks for one of your assets and no anchor can serve it, the request appears here.',
        'Cuando una billetera pide uno de sus activos y ningún anchor puede atenderla, la solicitud aparece aquí.',
      ),
    },
  },
})
