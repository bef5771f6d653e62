// From the discovery file (SEP-1) to a paid deposit (SEP-10, 12, 6), with a client that oapi-codegen generated.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stellar/go-stellar-sdk/keypair"
	"github.com/stellar/go-stellar-sdk/txnbuild"
)

func check(holds bool, message string) {
	if !holds {
		fmt.Println(message)
		os.Exit(1)
	}
}

func read(address string) []byte {
	answer, err := http.Get(address)
	check(err == nil, "no answer of "+address)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err == nil, "no answer of "+address)
	return text
}

// wait asks until there is an answer.
func wait(what string, reached func() bool) {
	for range 240 {
		if reached() {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	check(false, what+" did not come")
}

func main() {
	anchor, mails, passphrase := os.Args[1], os.Args[2], os.Args[3]
	key := keypair.MustParseFull(os.Args[4])
	ctx := context.Background()
	toml := string(read(anchor + "/.well-known/stellar.toml"))
	valueOf := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + `\s*=\s*"([^"]+)"`).FindStringSubmatch(toml)
		check(found != nil, "no "+name)
		return found[1]
	}
	webAuth, err := url.Parse(valueOf("WEB_AUTH_ENDPOINT"))
	check(err == nil, "no address")
	home := strings.TrimPrefix(anchor, "http://")
	server := webAuth.Scheme + "://" + webAuth.Host
	visitor, err := NewClientWithResponses(server)
	check(err == nil, "no client")

	account := key.Address()
	asked, err := visitor.GetChallengeWithResponse(ctx, &GetChallengeParams{Account: account, HomeDomain: &home})
	check(err == nil && asked.JSON200 != nil, "no challenge")
	challenge, _, _, _, err := txnbuild.ReadChallengeTx(
		asked.JSON200.Transaction, valueOf("SIGNING_KEY"), passphrase, webAuth.Host, []string{home})
	check(err == nil, "the challenge is not valid")
	signed, err := challenge.Sign(passphrase, key)
	check(err == nil, "not signed")
	envelope, err := signed.Base64()
	check(err == nil, "not signed")
	login, err := visitor.GetTokenWithResponse(ctx, GetTokenJSONRequestBody{Transaction: envelope})
	check(err == nil && login.JSON200 != nil, "no token")
	client, err := NewClientWithResponses(server, WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+login.JSON200.Token)
			return nil
		}))
	check(err == nil, "no client")

	email := strings.ToLower(account[:20]) + "@example.org"
	details := map[string]string{"first_name": "Asha", "last_name": "Rao", "email_address": email}
	put, err := client.PutSep12CustomerWithResponse(ctx, PutSep12CustomerRequest{AdditionalProperties: details})
	check(err == nil && put.JSON202 != nil, "no customer")
	id, code := put.JSON202.Id, ""
	wait("the code", func() bool {
		var received []struct{ Text string }
		check(json.Unmarshal(read(mails+"/email?to.address="+email), &received) == nil, "no mails")
		for _, mail := range received {
			code = regexp.MustCompile(`\b\d{6}\b`).FindString(mail.Text)
		}
		return code != ""
	})
	verification := map[string]string{"email_address_verification": code}
	put, err = client.PutSep12CustomerWithResponse(ctx,
		PutSep12CustomerRequest{Id: &id, AdditionalProperties: verification})
	check(err == nil && put.JSON202 != nil, "the code was refused")
	wait("KYC", func() bool {
		known, err := client.GetSep12CustomerWithResponse(ctx, &GetSep12CustomerParams{Id: &id})
		return err == nil && known.JSON200 != nil && known.JSON200.Status == "ACCEPTED"
	})

	info, err := visitor.GetSep6InfoWithResponse(ctx, &GetSep6InfoParams{})
	check(err == nil && info.JSON200 != nil, "no terms")
	asset, amount, rail := "", "10", "upi"
	for asset = range info.JSON200.Deposit {
	}
	begun, err := client.DepositWithResponse(ctx,
		&DepositParams{AssetCode: &asset, Amount: &amount, Type: &rail, Account: &account})
	check(err == nil && begun.JSON200 != nil, "no deposit")
	becomes := func(status string) string {
		wait(status, func() bool {
			found, err := client.GetSep6TransactionWithResponse(ctx, &GetSep6TransactionParams{Id: &begun.JSON200.Id})
			return err == nil && found.JSON200 != nil && found.JSON200.Transaction.Status == status
		})
		return status
	}
	becomes("pending_user_transfer_start")
	paid, err := client.PayDepositWithResponse(ctx, begun.JSON200.Id, PayDepositRequest{})
	check(err == nil && paid.JSON202 != nil && paid.JSON202.Rail == "UPI", "not paid")
	fmt.Println(becomes("completed"))
}
