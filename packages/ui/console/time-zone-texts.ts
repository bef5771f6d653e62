import { catalogue, text } from '../catalogue.ts'

/** Words of the time zone setting. */
export const timeZoneTexts = catalogue({
  title: text('Time zone', 'Zona horaria'),
  lead: text(
    (zone: string) =>
      `Times on every screen are in ${zone.replaceAll('_', ' ')}. Your choice is kept with your account.`,
    zone =>
      `Las horas de todas las pantallas son de ${zone.replaceAll('_', ' ')}. Su elección se guarda con su cuenta.`,
  ),
  label: text('Show times in', 'Mostrar las horas de'),
  device: text(
    (zone: string) => `This device’s time zone (${zone.replaceAll('_', ' ')})`,
    zone => `La zona horaria de este dispositivo (${zone.replaceAll('_', ' ')})`,
  ),
  failed: text('The time zone was not changed', 'No se cambió la zona horaria'),
})
