import { catalogue, text } from '@windlass/ui/catalogue.ts'

/** Why an anchor pauses, in the words that customers read too. */
export const pauseReasons = catalogue({
  unavailable: text('Not available', 'No disponible'),
  maintenance: text('Maintenance', 'Mantenimiento'),
  outage: text('Problem at a payment provider', 'Problema de un proveedor de pagos'),
})
