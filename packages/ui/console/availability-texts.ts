import { catalogue, text } from '../catalogue.ts'

/** Apart from the texts of every page, because few pages show availability. */
export const availabilityTexts = catalogue({
  minute: text(
    (time: string, good: number, checks: number) => `${time}: ${good} of ${checks} checks passed`,
    (time, good, checks) => `${time}: ${good} de ${checks} comprobaciones superadas`,
  ),
  none: text(
    (time: string) => `${time}: no checks`,
    time => `${time}: sin comprobaciones`,
  ),
  unknown: text('No checks in the last hour', 'Sin comprobaciones en la última hora'),
  summary: text(
    (percentage: string) => `Available for ${percentage} of the last hour`,
    percentage => `Disponible el ${percentage} de la última hora`,
  ),
  lastHour: text('Last hour', 'Última hora'),
  lastDays: text('Last 90 days', 'Últimos 90 días'),
  unknownDays: text('No checks in the last 90 days', 'Sin comprobaciones en los últimos 90 días'),
  summaryOfDays: text(
    (percentage: string) => `Available for ${percentage} of the last 90 days`,
    (percentage: string) => `Disponible el ${percentage} de los últimos 90 días`,
  ),
  uptime: text(
    (percentage: string) => `${percentage} of checks passed`,
    percentage => `${percentage} de las comprobaciones superadas`,
  ),
})
