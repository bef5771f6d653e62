import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const events: Translation<typeof english.events> = {
  title: 'Eventos de la plataforma',
  lead: 'Cambios que la plataforma hizo en su anchor, los más nuevos primero.',
  columns: { at: 'Hora', kind: 'Evento', detail: 'Detalles' },
  kinds: {
    'ledger-reset': 'Restaurado tras un reinicio de la red',
    upgraded: 'Actualizado',
    'upgrade-failed': 'Actualización revertida',
    'secrets-rotated': 'Secretos rotados',
    removed: 'Eliminado',
  },
}

export const activity: Translation<typeof english.activity> = {
  title: 'Actividad',
  lead: 'Cambios en este anchor y quién los hizo, los más nuevos primero.',
  columns: { at: 'Hora', action: 'Acción', details: 'Detalles' },
  actors: {
    system: 'Windlass',
    public: 'Un visitante',
    key: name => `La clave de API «${name}»`,
    admin: name => `El administrador ${name}`,
    member: 'Un antiguo miembro',
  },
  empty: 'Ninguna actividad todavía',
}
