import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const routing: Translation<typeof english.routing> = {
  title: 'Decisiones de ruta',
  lead: 'Decisiones recientes que consideraron su anchor: su puntuación frente a la ganadora, o la regla que lo excluyó.',
  columns: {
    at: 'Hora',
    request: 'Solicitud',
    outcome: 'Resultado',
    score: 'Puntuación',
    why: 'Motivo',
  },
  request: (amount, asset, rail, country) => `${amount} ${asset} por ${rail}${country ? `, ${country}` : ''}`,
  outcomes: { chosen: 'Elegido', outscored: 'Superado', rejected: 'Excluido' },
  score: (own, winning) => (own === winning ? own : `${own} de ${winning}`),
  why: (detail, rank) => (rank === undefined || rank === 1 ? detail : `${detail}; puesto ${rank}`),
  empty: {
    title: 'Ninguna decisión de ruta todavía',
    detail: 'Cuando una billetera pide una ruta y se considera su anchor, el resultado aparece aquí.',
  },
  missed: {
    title: 'Rutas perdidas',
    lead: 'Rutas para sus activos que ningún anchor pudo atender, y lo que le faltó a su anchor.',
    lacking: 'Lo que faltaba',
    empty: {
      title: 'Ninguna ruta perdida',
      detail:
        'Cuando una billetera pide uno de sus activos y ningún anchor puede atenderla, la solicitud aparece aquí.',
    },
  },
}
