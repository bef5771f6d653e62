import type { CountryFinding } from '@windlass/contracts/anchor/compliance.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Countries', 'Países'),
  lead: text(
    'We do not serve people who live in a prohibited country, or have its document or a bank account there. For countries with high risk, a person looks at each customer and account.',
    'No atendemos a personas que viven en un país prohibido, o tienen un documento de él o una cuenta bancaria allí. En los países de alto riesgo, una persona mira a cada cliente y cada cuenta.',
  ),
  change: text('Change', 'Cambiar'),
  prohibited: text('Prohibited', 'Prohibidos'),
  highRisk: text('High risk', 'Alto riesgo'),
  none: text('None', 'Ninguno'),
  asks: text(
    'Customers say where they live before they pay.',
    'Los clientes dicen dónde viven antes de pagar.',
  ),
  asksNot: text('Customers are not asked where they live.', 'No se pregunta a los clientes dónde viven.'),
  form: {
    title: text('Change countries', 'Cambiar países'),
    hint: text('Codes of two letters, such as IR KP', 'Códigos de dos letras, como IR KP'),
    invalid: text('Enter codes of two letters, such as IR KP', 'Escriba códigos de dos letras, como IR KP'),
    asks: text('Ask customers where they live', 'Preguntar a los clientes dónde viven'),
    send: text('Save', 'Guardar'),
    failed: text('The countries were not changed', 'Los países no se cambiaron'),
  },
  hit: {
    title: text('Country', 'País'),
    name: text('Country', 'País'),
    of: {
      residence: text('Where the customer lives', 'Donde vive el cliente'),
      document: text('The customer’s document', 'Documento del cliente'),
      'payer-account': text('Bank account of the payer', 'Cuenta bancaria del pagador'),
      'payee-account': text('Bank account that is paid', 'Cuenta bancaria que se paga'),
    } satisfies Record<CountryFinding['of'], string>,
    lists: {
      prohibited: text('Prohibited', 'Prohibido'),
      'high-risk': text('High risk', 'Alto riesgo'),
    } satisfies Record<CountryFinding['list'], string>,
  },
})
