import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const proposals = catalogue({
  fill: text('Fill in', 'Rellenar con'),
  networks: {
    testnet: text('test network', 'red de pruebas'),
    public: text('public network', 'red pública'),
  },
  noRail: text(
    (country: string) =>
      `No rail of this platform reaches ${country}. Choose rails that you can use elsewhere, and the countries that you serve with them.`,
    country =>
      `Ningún medio de pago llega a ${country}. Elija medios de otros países, y los países que atiende con ellos.`,
  ),
})
