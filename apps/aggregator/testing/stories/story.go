// From the list of anchors to a quote and a decision, with a client that oapi-codegen generated.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	client, err := NewClientWithResponses(os.Args[1])
	check(err == nil, "no client")
	ctx := context.Background()
	limit := 1
	found, err := client.ListAnchorsWithResponse(ctx, &ListAnchorsParams{Limit: &limit})
	check(err == nil && found.JSON200 != nil && len(found.JSON200.Anchors) == 1, "no anchor")

	amount := QuoteRequest_Amount{}
	check(amount.FromQuoteRequestAmount0("5") == nil, "no amount")
	asset := QuoteRequest_Asset{}
	check(asset.FromQuoteRequestAsset0("USDC") == nil, "no asset")
	rail, currency := "UPI", "INR"
	body := QuoteRequest{Amount: &amount, Asset: &asset, Rail: &rail, Currency: &currency}
	quoted, err := client.CreateQuoteWithResponse(ctx, nil, body)
	check(err == nil && quoted.JSON201 != nil, "no quote")
	known, err := client.GetQuoteWithResponse(ctx, quoted.JSON201.Id, nil)
	check(err == nil && known.JSON200 != nil && known.JSON200.SellAmount == quoted.JSON201.SellAmount, "another quote")
	missing, err := client.GetQuoteWithResponse(ctx, "none", nil)
	check(err == nil && missing.ApplicationproblemJSON404 != nil, "no problem document")
	check(string(missing.ApplicationproblemJSON404.Code) == "quote-not-found", "another problem")
	fmt.Println("done")
}

func check(holds bool, message string) {
	if !holds {
		fmt.Println(message)
		os.Exit(1)
	}
}
