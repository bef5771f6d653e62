import type { Rating, RiskFactor } from '@windlass/contracts/anchor/risk-rating.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Risk of customers', 'Riesgo de los clientes'),
  lead: text(
    'Rules rate each customer when a transaction is agreed. The highest rating counts; where no rule applies, it is normal.',
    'Las reglas valoran a cada cliente cuando se acuerda una transacción. Cuenta la valoración más alta; si ninguna regla se aplica, es normal.',
  ),
  ratings: {
    low: text('Low', 'Bajo'),
    normal: text('Normal', 'Normal'),
    high: text('High', 'Alto'),
  } satisfies Record<Rating, string>,
  factors: {
    residence: text('Lives in a country of the list', 'Vive en un país de la lista'),
    document: text('Has a document of a country of the list', 'Tiene un documento de un país de la lista'),
    'high-risk-country': text(
      'Lives in, or has a document of, a country with high risk',
      'Vive en un país de alto riesgo o tiene un documento de uno',
    ),
    organization: text('Is an organization', 'Es una organización'),
    person: text('Is a person', 'Es una persona'),
    'newer-than': text('Has been a customer for less than', 'Es cliente desde hace menos de'),
    'older-than': text('Has been a customer for at least', 'Es cliente desde hace al menos'),
    'volume-above': text('Moves in 30 days more than', 'Mueve en 30 días más de'),
  } satisfies Record<RiskFactor, string>,
  days: text(
    (days: string) => `${days} days`,
    days => `${days} días`,
  ),
  rules: {
    caption: text('Risk rules', 'Reglas de riesgo'),
    empty: text('No rules: each customer is normal.', 'Sin reglas: cada cliente es normal.'),
    add: text('Add risk rule', 'Añadir regla de riesgo'),
    columns: {
      rule: text('A customer who', 'Un cliente que'),
      rating: text('Rating', 'Valoración'),
      actions: text('Actions', 'Acciones'),
    },
    remove: text('Remove', 'Quitar'),
    removeWhat: text(
      (rule: string) => `Remove the risk rule: ${rule}`,
      rule => `Quitar la regla de riesgo: ${rule}`,
    ),
    removing: text('Remove risk rule?', '¿Quitar la regla de riesgo?'),
    removeSend: text('Remove rule', 'Quitar regla'),
  },
  measures: {
    caption: text('What follows', 'Lo que sigue'),
    change: text('Change', 'Cambiar'),
    changeWhat: text(
      (rating: string) => `Change what follows from the rating: ${rating}`,
      rating => `Cambiar lo que sigue de la valoración: ${rating}`,
    ),
    limit: text(
      'Share of the limits of their tier, in percent',
      'Parte de los límites de su nivel, en porcentaje',
    ),
    funds: text('Asked where their money comes from', 'Se pregunta de dónde viene su dinero'),
    review: text('Months until the next review', 'Meses hasta la próxima revisión'),
    yes: text('Yes', 'Sí'),
    no: text('No', 'No'),
    invalid: text('Enter a whole number.', 'Escriba un número entero.'),
  },
  form: {
    when: text('A customer who', 'Un cliente que'),
    countries: text('Countries', 'Países'),
    countriesHint: text('Codes of two letters, such as AE TR', 'Códigos de dos letras, como AE TR'),
    days: text('Days', 'Días'),
    amount: text('Amount', 'Importe'),
    rating: text('Is rated', 'Se valora'),
    invalid: text('Enter codes of two letters.', 'Escriba códigos de dos letras.'),
    send: text('Save', 'Guardar'),
    failed: text('The rules were not changed', 'Las reglas no se cambiaron'),
  },
  customers: {
    title: text('Customers by risk', 'Clientes por riesgo'),
    all: text('All', 'Todos'),
    filter: text('Rating', 'Valoración'),
    empty: {
      title: text('No customers rated yet', 'Aún no hay clientes valorados'),
      detail: text(
        'A customer is rated when they agree a transaction.',
        'Un cliente se valora cuando acuerda una transacción.',
      ),
    },
    none: {
      title: text('No customers of this rating', 'No hay clientes de esta valoración'),
      detail: text('Choose another rating.', 'Elija otra valoración.'),
    },
    columns: {
      customer: text('Customer', 'Cliente'),
      rating: text('Rating', 'Valoración'),
      reasons: text('Because of', 'Por'),
      review: text('Review by', 'Revisar antes del'),
    },
    byPerson: text('a person’s review', 'la revisión de una persona'),
  },
  review: {
    title: text('Review a customer', 'Revisar a un cliente'),
    atLeast: text('Is rated at least', 'Se valora al menos'),
    byRules: text('As the rules say', 'Como dicen las reglas'),
    note: text('What you found', 'Lo que encontró'),
    noteMissing: text('Write what you found.', 'Escriba lo que encontró.'),
    send: text('Save review', 'Guardar revisión'),
    failed: text('The review was not saved', 'La revisión no se guardó'),
  },
})
