// CRUD, transactions, change streams and retried writes through the Go driver.
// Usage: go run . <uri>
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	check(err == nil, err)
	return value
}

func check(ok bool, what ...any) {
	if !ok {
		panic(fmt.Sprint(what...))
	}
}

func checkDocuments(db *mongo.Database) {
	items := db.Collection("items")
	date := time.UnixMilli(1_700_000_000_000).UTC()
	decimal := must(bson.ParseDecimal128("0.10"))
	inserted := must(items.InsertOne(ctx, bson.D{
		{Key: "long", Value: int64(1) << 60}, {Key: "decimal", Value: decimal},
		{Key: "date", Value: date}, {Key: "list", Value: bson.A{int32(1), 2.5, nil, true}},
	}))
	var doc bson.M
	check(items.FindOne(ctx, bson.M{"_id": inserted.InsertedID}).Decode(&doc) == nil)
	check(doc["long"] == int64(1)<<60 && doc["decimal"] == decimal && doc["date"] == bson.NewDateTimeFromTime(date), doc)
	many := make([]any, 1000)
	for n := range many {
		many[n] = bson.M{"n": n}
	}
	must(items.InsertMany(ctx, many))
	cursor := must(items.Find(ctx, bson.M{"n": bson.M{"$gte": 10}}, options.Find().SetBatchSize(100).SetSort(bson.M{"n": -1})))
	var found []bson.M
	check(cursor.All(ctx, &found) == nil)
	check(len(found) == 990 && found[0]["n"] == int32(999), len(found))
	check(must(items.CountDocuments(ctx, bson.M{"n": bson.M{"$lt": 5}})) == 5)
	check(must(items.UpdateMany(ctx, bson.M{"n": bson.M{"$lt": 5}}, bson.M{"$inc": bson.M{"m": 1}})).ModifiedCount == 5)
	after := items.FindOneAndUpdate(ctx, bson.M{"n": 1}, bson.M{"$set": bson.M{"m": 7}}, options.FindOneAndUpdate().SetReturnDocument(options.After))
	check(after.Decode(&doc) == nil && doc["m"] == int32(7))
	check(must(items.ReplaceOne(ctx, bson.M{"n": 2}, bson.M{"n": 2, "x": 1})).ModifiedCount == 1)
	check(must(items.DeleteMany(ctx, bson.M{"n": bson.M{"$gte": 500}})).DeletedCount == 500)
	writes := []mongo.ClientWriteModel{
		mongo.NewClientUpdateOneModel().SetFilter(bson.M{"n": 3}).SetUpdate(bson.M{"$set": bson.M{"b": 1}}),
		mongo.NewClientInsertOneModel().SetDocument(bson.M{"n": -1}),
	}
	batch := []mongo.ClientBulkWrite{}
	for _, write := range writes {
		batch = append(batch, mongo.ClientBulkWrite{Database: db.Name(), Collection: "items", Model: write})
	}
	bulk := must(db.Client().BulkWrite(ctx, batch))
	check(bulk.ModifiedCount == 1 && bulk.InsertedCount == 1, bulk)
	cursor = must(items.Aggregate(ctx, bson.A{bson.M{"$match": bson.M{"n": bson.M{"$gte": 0}}}, bson.M{"$group": bson.M{"_id": bson.M{"$mod": bson.A{"$n", 2}}, "n": bson.M{"$sum": 1}}}}))
	check(cursor.All(ctx, &found) == nil && len(found) == 2 && found[0]["n"] == int32(250), found)
	// The secondary sees the same data.
	second := db.Collection("items", options.Collection().SetReadPreference(readpref.SecondaryPreferred()))
	check(must(second.CountDocuments(ctx, bson.M{"n": 3})) == 1)
}

func checkIndexes(db *mongo.Database) {
	users := db.Collection("users")
	name := must(users.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{"email": 1}, Options: options.Index().SetUnique(true)}))
	check(name == "email_1")
	check(len(must(users.Indexes().ListSpecifications(ctx))) == 2)
	must(users.InsertOne(ctx, bson.M{"email": "a"}))
	_, err := users.InsertOne(ctx, bson.M{"email": "a"})
	check(mongo.IsDuplicateKeyError(err), err)
}

func checkTransactions(db *mongo.Database) {
	accounts := db.Collection("accounts")
	must(accounts.InsertMany(ctx, bson.A{bson.M{"_id": "a", "sum": 10}, bson.M{"_id": "b", "sum": 0}}))
	sumOf := func(ctx context.Context, id string) any {
		var doc bson.M
		check(accounts.FindOne(ctx, bson.M{"_id": id}).Decode(&doc) == nil)
		return doc["sum"]
	}
	add := func(ctx context.Context, id string, sum int) error {
		_, err := accounts.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$inc": bson.M{"sum": sum}})
		return err
	}
	session := must(db.Client().StartSession())
	defer session.EndSession(ctx)
	must(session.WithTransaction(ctx, func(inside context.Context) (any, error) {
		check(add(inside, "a", -3) == nil && add(inside, "b", 3) == nil)
		check(sumOf(ctx, "b") == int32(0) && sumOf(inside, "b") == int32(3))
		return nil, nil
	}))
	check(sumOf(ctx, "b") == int32(3))
	check(session.StartTransaction() == nil)
	inside := mongo.NewSessionContext(ctx, session)
	check(add(inside, "a", 1) == nil)
	other := must(db.Client().StartSession())
	defer other.EndSession(ctx)
	check(other.StartTransaction() == nil)
	var failure mongo.ServerError
	err := add(mongo.NewSessionContext(ctx, other), "a", 1)
	check(errors.As(err, &failure) && failure.HasErrorLabel("TransientTransactionError") && failure.HasErrorCode(112), err)
	check(session.AbortTransaction(ctx) == nil)
	check(sumOf(ctx, "a") == int32(7))
}

func checkStreams(db *mongo.Database) {
	news := db.Collection("news")
	stream := must(news.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetFullDocument(options.UpdateLookup)))
	must(news.InsertOne(ctx, bson.M{"_id": 1}))
	var event bson.M
	check(stream.Next(ctx) && stream.Decode(&event) == nil && event["operationType"] == "insert", event)
	token := stream.ResumeToken()
	must(news.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"a": 1}}))
	check(stream.Close(ctx) == nil)
	stream = must(news.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(token)))
	check(stream.Next(ctx) && stream.Decode(&event) == nil && event["operationType"] == "update", event)
	check(stream.Close(ctx) == nil)
}

func checkRetries(db *mongo.Database) {
	retried := db.Collection("retried")
	fail := func(data bson.M) {
		command := bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: bson.M{"times": 1}}, {Key: "data", Value: data}}
		check(db.Client().Database("admin").RunCommand(ctx, command).Err() == nil)
	}
	fail(bson.M{"failCommands": bson.A{"insert"}, "closeConnection": true})
	must(retried.InsertOne(ctx, bson.M{"_id": 1}))
	fail(bson.M{"failCommands": bson.A{"update"}, "writeConcernError": bson.M{"code": 91, "errmsg": "shutdown", "errorLabels": bson.A{"RetryableWriteError"}}})
	must(retried.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$inc": bson.M{"n": 1}}))
	var doc bson.M
	check(retried.FindOne(ctx, bson.M{}).Decode(&doc) == nil && doc["n"] == int32(1), doc)
	journaled := db.Collection("retried", options.Collection().SetWriteConcern(writeconcern.Journaled()))
	must(journaled.InsertOne(ctx, bson.M{"_id": 2}))
}

func main() {
	client := must(mongo.Connect(options.Client().ApplyURI(os.Args[1]).SetServerSelectionTimeout(5 * time.Second)))
	defer client.Disconnect(ctx)
	db := client.Database("golang")
	check(db.Drop(ctx) == nil)
	for _, run := range []func(*mongo.Database){checkDocuments, checkIndexes, checkTransactions, checkStreams, checkRetries} {
		run(db)
	}
	fmt.Println("ok")
}
