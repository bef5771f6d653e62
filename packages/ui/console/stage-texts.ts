import type { StageName } from '@windlass/contracts/platform/provisioning.ts'
import { catalogue, text, type Text } from '../catalogue.ts'

/** The stages of provisioning, by their names in the API. */
export const { stages } = catalogue({
  stages: {
    'Generating Stellar keys': text('Generating Stellar keys', 'Generar las claves de Stellar'),
    'Funding accounts & issuing asset on Stellar': text(
      'Funding accounts & issuing asset on Stellar',
      'Financiar las cuentas y emitir el activo en Stellar',
    ),
    'Generating configuration files': text(
      'Generating configuration files',
      'Generar los archivos de configuración',
    ),
    'Setting up databases': text('Setting up databases', 'Preparar las bases de datos'),
    'Spawning containers': text('Spawning containers', 'Iniciar los contenedores'),
    'Waiting for stack to be healthy': text(
      'Waiting for stack to be healthy',
      'Esperar a que los servidores respondan',
    ),
    completed: text('Completed', 'Completado'),
  } satisfies Record<StageName, Text> as Record<string, Text>,
})
