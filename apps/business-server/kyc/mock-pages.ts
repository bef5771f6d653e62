/** Where the mock provider's hosted page lies at the anchor. */
export const MOCK_PAGES = '/kyc/mock'
