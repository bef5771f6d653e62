// What a Go test would do on the local network: two accounts, an asset, payments, offers, and the history of it all.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stellar/go-stellar-sdk/clients/horizonclient"
	"github.com/stellar/go-stellar-sdk/keypair"
	"github.com/stellar/go-stellar-sdk/network"
	"github.com/stellar/go-stellar-sdk/price"
	"github.com/stellar/go-stellar-sdk/protocols/horizon"
	"github.com/stellar/go-stellar-sdk/protocols/horizon/operations"
	"github.com/stellar/go-stellar-sdk/txnbuild"
)

var client *horizonclient.Client

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expect(holds bool, found any) {
	if !holds {
		panic(fmt.Sprintf("found %+v", found))
	}
}

func submit(key *keypair.Full, operation txnbuild.Operation) (horizon.Transaction, error) {
	account := must(client.AccountDetail(horizonclient.AccountRequest{AccountID: key.Address()}))
	transaction := must(txnbuild.NewTransaction(txnbuild.TransactionParams{
		SourceAccount:        &account,
		IncrementSequenceNum: true,
		Operations:           []txnbuild.Operation{operation},
		BaseFee:              txnbuild.MinBaseFee,
		Memo:                 txnbuild.MemoText("ünï"),
		Preconditions:        txnbuild.Preconditions{TimeBounds: txnbuild.NewTimeout(30)},
	}))
	return client.SubmitTransaction(must(transaction.Sign(network.TestNetworkPassphrase, key)))
}

func main() {
	client = &horizonclient.Client{HorizonURL: os.Args[1]}
	issuer, holder := keypair.MustRandom(), keypair.MustRandom()
	for _, key := range []*keypair.Full{issuer, holder} {
		must(client.Fund(key.Address()))
	}
	usd := txnbuild.CreditAsset{Code: "USD", Issuer: issuer.Address()}
	must(submit(holder, &txnbuild.ChangeTrust{Line: usd.MustToChangeTrustAsset()}))
	paid := must(submit(issuer, &txnbuild.Payment{Destination: holder.Address(), Amount: "100.5", Asset: usd}))
	must(submit(holder, &txnbuild.ManageSellOffer{
		Selling: usd, Buying: txnbuild.NativeAsset{}, Amount: "10", Price: price.MustParse("2"),
	}))

	stored := must(client.TransactionDetail(paid.Hash))
	expect(stored.Successful && stored.Memo == "ünï", stored)
	effects := must(client.Effects(horizonclient.EffectRequest{ForTransaction: paid.Hash})).Embedded.Records
	expect(len(effects) == 2, effects)
	kinds := must(client.Operations(horizonclient.OperationRequest{ForAccount: holder.Address()})).Embedded.Records
	expect(len(kinds) == 4 && kinds[3].GetType() == "manage_sell_offer", kinds)
	book := must(client.OrderBook(horizonclient.OrderBookRequest{
		SellingAssetType: horizonclient.AssetType4, SellingAssetCode: "USD", SellingAssetIssuer: issuer.Address(),
		BuyingAssetType: horizonclient.AssetTypeNative,
	}))
	expect(len(book.Asks) == 1 && book.Asks[0].Amount == "10.0000000", book)

	_, err := submit(holder, &txnbuild.Payment{
		Destination: keypair.MustRandom().Address(), Amount: "1", Asset: txnbuild.NativeAsset{},
	})
	codes := must(horizonclient.GetError(err).ResultCodes())
	expect(codes.OperationCodes[0] == "op_no_destination", codes)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	seen := ""
	first := horizonclient.OperationRequest{ForAccount: holder.Address(), Cursor: "0"}
	err = client.StreamPayments(ctx, first, func(operation operations.Operation) {
		seen = operation.GetType()
		cancel()
	})
	expect(seen == "create_account", err)
	fmt.Println("understood")
}
