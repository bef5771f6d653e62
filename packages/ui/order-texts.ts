import { catalogue, text } from './catalogue.ts'

/** Words of a table’s order on phones. */
export const orderTexts = catalogue({
  label: text('Order', 'Orden'),
  asListed: text('Order: as listed', 'Orden: como están'),
  ascending: text(
    (head: string) => `${head}, ascending`,
    head => `${head}, ascendente`,
  ),
  descending: text(
    (head: string) => `${head}, descending`,
    head => `${head}, descendente`,
  ),
})
