# CRUD, transactions, change streams and retried writes through PyMongo.
# Usage: python client.py <uri>
import sys
from datetime import datetime, timezone
from decimal import Decimal

from bson import Decimal128, Int64, ObjectId, Timestamp
from pymongo import MongoClient, ReturnDocument, UpdateOne, WriteConcern
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure

client = MongoClient(sys.argv[1], serverSelectionTimeoutMS=5000)
client.drop_database("python")
db = client["python"]
items = db["items"]


def check_documents():
    doc = {
        "_id": ObjectId(),
        "long": Int64(2**60),
        "decimal": Decimal128(Decimal("0.10")),
        "date": datetime(2026, 1, 2, tzinfo=timezone.utc).replace(tzinfo=None),
        "bytes": b"\x00\xff",
        "list": [1, 2.5, None, True],
        "time": Timestamp(1, 2),
    }
    items.insert_one(doc)
    assert items.find_one({"_id": doc["_id"]}) == doc
    items.insert_many([{"n": n} for n in range(1000)])
    assert len(list(items.find({"n": {"$gte": 10}}).batch_size(100))) == 990
    assert [d["n"] for d in items.find({"n": {"$lt": 3}}).sort("n", -1)] == [2, 1, 0]
    assert items.count_documents({"n": {"$lt": 5}}) == 5
    assert items.update_many({"n": {"$lt": 5}}, {"$inc": {"m": 1}}).modified_count == 5
    after = items.find_one_and_update(
        {"n": 1}, {"$set": {"m": 7}}, return_document=ReturnDocument.AFTER
    )
    assert after["m"] == 7
    assert items.replace_one({"n": 2}, {"n": 2, "x": 1}).modified_count == 1
    assert items.delete_many({"n": {"$gte": 500}}).deleted_count == 500
    result = items.bulk_write([UpdateOne({"n": 3}, {"$set": {"b": 1}}), UpdateOne({"n": -1}, {"$set": {"b": 1}}, upsert=True)])
    assert (result.modified_count, result.upserted_count) == (1, 1)
    groups = items.aggregate([{"$match": {"n": {"$gte": 0}}}, {"$group": {"_id": {"$mod": ["$n", 2]}, "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}])
    assert list(groups) == [{"_id": 0, "n": 250}, {"_id": 1, "n": 250}]
    assert sorted(items.distinct("m")) == [1, 7]


def check_indexes():
    users = db["users"]
    users.create_index([("email", 1)], unique=True)
    assert users.index_information()["email_1"]["unique"] is True
    users.insert_one({"email": "a"})
    try:
        users.insert_one({"email": "a"})
        raise AssertionError("no duplicate")
    except DuplicateKeyError as error:
        assert error.details["keyValue"] == {"email": "a"}
    try:
        users.insert_many([{"email": "b"}, {"email": "a"}, {"email": "c"}], ordered=False)
        raise AssertionError("no duplicate")
    except BulkWriteError as error:
        assert error.details["nInserted"] == 2
    db.command("collMod", "users", validator={"email": {"$type": "string"}})
    try:
        users.insert_one({"email": 1})
        raise AssertionError("no validation")
    except OperationFailure as error:
        assert error.code == 121


def check_transactions():
    accounts = db["accounts"]
    accounts.insert_many([{"_id": "a", "sum": 10}, {"_id": "b", "sum": 0}])

    def move(session):
        accounts.update_one({"_id": "a"}, {"$inc": {"sum": -3}}, session=session)
        accounts.update_one({"_id": "b"}, {"$inc": {"sum": 3}}, session=session)
        assert accounts.find_one({"_id": "b"})["sum"] == 0

    with client.start_session() as session:
        session.with_transaction(move)
        assert accounts.find_one({"_id": "b"})["sum"] == 3
        session.start_transaction()
        accounts.delete_many({}, session=session)
        session.abort_transaction()
    assert accounts.count_documents({}) == 2
    with client.start_session() as first, client.start_session() as second:
        first.start_transaction()
        second.start_transaction()
        accounts.update_one({"_id": "a"}, {"$inc": {"sum": 1}}, session=first)
        try:
            accounts.update_one({"_id": "a"}, {"$inc": {"sum": 1}}, session=second)
            raise AssertionError("no conflict")
        except OperationFailure as error:
            assert error.code == 112 and error.has_error_label("TransientTransactionError")
        first.commit_transaction()
    with client.start_session(snapshot=True) as session:
        assert accounts.find_one({"_id": "a"}, session=session)["sum"] == 8


def check_streams():
    with db["news"].watch(full_document="updateLookup") as stream:
        db["news"].insert_one({"_id": 1})
        assert stream.next()["fullDocument"] == {"_id": 1}
        token = stream.resume_token
        db["news"].update_one({"_id": 1}, {"$set": {"a": 1}})
        db["news"].delete_one({"_id": 1})
    with db["news"].watch(resume_after=token) as stream:
        assert stream.next()["updateDescription"]["updatedFields"] == {"a": 1}
        assert stream.next()["operationType"] == "delete"


def check_retries():
    retried = db["retried"]
    fail = {"configureFailPoint": "failCommand", "mode": {"times": 1}}
    client.admin.command({**fail, "data": {"failCommands": ["insert"], "closeConnection": True}})
    retried.insert_one({"_id": 1})
    concern = {"code": 91, "errmsg": "shutdown", "errorLabels": ["RetryableWriteError"]}
    client.admin.command({**fail, "data": {"failCommands": ["update"], "writeConcernError": concern}})
    retried.update_one({"_id": 1}, {"$inc": {"n": 1}})
    assert retried.find_one() == {"_id": 1, "n": 1}
    client.admin.command({**fail, "data": {"failCommands": ["find"], "errorCode": 11600}})
    assert retried.find_one({"_id": 1})["n"] == 1
    retried.with_options(write_concern=WriteConcern("majority", j=True)).insert_one({"_id": 2})


for check in [check_documents, check_indexes, check_transactions, check_streams, check_retries]:
    check()
print("ok")
client.close()
