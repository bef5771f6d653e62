import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { readDiscoveryFile, renderDiscoveryFile, type Discovery } from './discovery-file.ts'
import { generateKey } from './keys.ts'

const key = generateKey().publicKey
const discovery: Discovery = {
  networkPassphrase: 'Test SDF Network ; September 2015',
  endpoints: {
    webAuth: 'http://mumbai.anchors.localhost/auth',
    webAuthForContracts: 'http://mumbai.anchors.localhost/sep45/auth',
    kycServer: 'http://mumbai.anchors.localhost/sep12',
    transferServer: 'http://mumbai.anchors.localhost/sep6',
    transferServerSep24: 'http://mumbai.anchors.localhost/sep24',
    directPaymentServer: 'http://mumbai.anchors.localhost/sep31',
    quoteServer: 'http://mumbai.anchors.localhost/sep38',
    federationServer: 'http://mumbai.anchors.localhost/federation',
  },
  signingKey: key,
  accounts: [key],
  organization: { name: 'Mumbai Exchange', email: 'founder@example.com' },
  currencies: [
    { code: 'MUMBAI', issuer: key, name: 'Mumbai dollar', anchoredTo: 'USD', isOwn: true, status: 'test' },
  ],
}

it('the discovery file names the network, the keys, the servers and the asset (SEP-1)', () => {
  expect(parse(renderDiscoveryFile(discovery))).toMatchObject({
    VERSION: '2.7.0',
    NETWORK_PASSPHRASE: discovery.networkPassphrase,
    SIGNING_KEY: key,
    ACCOUNTS: [key],
    WEB_AUTH_ENDPOINT: discovery.endpoints.webAuth,
    KYC_SERVER: discovery.endpoints.kycServer,
    TRANSFER_SERVER: discovery.endpoints.transferServer,
    TRANSFER_SERVER_SEP0024: discovery.endpoints.transferServerSep24,
    DIRECT_PAYMENT_SERVER: discovery.endpoints.directPaymentServer,
    ANCHOR_QUOTE_SERVER: discovery.endpoints.quoteServer,
    DOCUMENTATION: {
      ORG_NAME: 'Mumbai Exchange',
      ORG_URL: 'http://mumbai.anchors.localhost',
      ORG_OFFICIAL_EMAIL: 'founder@example.com',
    },
    CURRENCIES: [
      { code: 'MUMBAI', issuer: key, status: 'test', is_asset_anchored: true, anchor_asset_type: 'fiat' },
    ],
  })
})

it('names the login of contract accounts only where the anchor has one (SEP-45)', () => {
  expect(renderDiscoveryFile(discovery)).not.toContain('WEB_AUTH_FOR_CONTRACTS')
  const webAuthContract = 'CD3LA6RKF5D2FN2R2L57MWXLBRSEWWENE74YBEFZSSGNJRJGICFGQXMX'
  expect(parse(renderDiscoveryFile({ ...discovery, webAuthContract }))).toMatchObject({
    WEB_AUTH_FOR_CONTRACTS_ENDPOINT: discovery.endpoints.webAuthForContracts,
    WEB_AUTH_CONTRACT_ID: webAuthContract,
  })
})

it('whatever founders call themselves stays within its own value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), name => {
      const text = renderDiscoveryFile({ ...discovery, organization: { name } })
      expect(parse(text).DOCUMENTATION).toEqual({ ORG_NAME: name })
      expect(readDiscoveryFile(text)).toEqual({ signingKey: key, webAuth: discovery.endpoints.webAuth })
    }),
  )
})
