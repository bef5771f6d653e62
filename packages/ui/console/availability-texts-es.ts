import type { Translation } from '../catalogue.ts'
import type { availabilityTexts } from './availability-texts.ts'

export const availability: Translation<typeof availabilityTexts> = {
  minute: (time, good, checks) => `${time}: ${good} de ${checks} comprobaciones superadas`,
  none: time => `${time}: sin comprobaciones`,
  unknown: 'Sin comprobaciones en la última hora',
  summary: percentage => `Disponible el ${percentage} de la última hora`,
  lastHour: 'Última hora',
  lastDays: 'Últimos 90 días',
  unknownDays: 'Sin comprobaciones en los últimos 90 días',
  summaryOfDays: (percentage: string) => `Disponible el ${percentage} de los últimos 90 días`,
  uptime: percentage => `${percentage} de las comprobaciones superadas`,
}
