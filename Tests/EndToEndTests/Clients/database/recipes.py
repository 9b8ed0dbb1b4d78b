"""The recipes of docs/your-database.md for Python, run for real. It needs psycopg, SQLAlchemy and Django.

    recipes.py ADDRESS

ADDRESS is a PostgreSQL with an inbox and the right to send pushes of the app "shop". Each recipe commits an order and rolls one back; then the
inbox must have exactly the committed pushes. No worker may take them away in the meantime.
"""
import json
import sys

import django
import psycopg
import sqlalchemy
from django.conf import settings
from psycopg.types.json import Json

ADDRESS = sys.argv[1]
TOKEN = "5f3ad1c07b9e4286"


def push(text):
    return {"token": TOKEN, "payload": {"aps": {"alert": text}}}


def with_psycopg():
    with psycopg.connect(ADDRESS) as connection:
        for text, fails in [("psycopg 1", False), ("psycopg 2", True)]:
            try:
                with connection.transaction():
                    (id,) = connection.execute("SELECT pushserve.enqueue('shop', %s)", [Json(push(text))]).fetchone()
                    connection.execute("INSERT INTO recipe_orders VALUES (%s, %s)", [text, id])
                    if fails:
                        raise psycopg.Rollback
            except psycopg.Rollback:
                pass


def with_sqlalchemy():
    from sqlalchemy import JSON, cast, func, orm, select

    engine = sqlalchemy.create_engine(ADDRESS.replace("postgres://", "postgresql+psycopg://"))
    orders = sqlalchemy.Table("recipe_orders", sqlalchemy.MetaData(), autoload_with=engine)
    for text, ends in [("SQLAlchemy 1", "commit"), ("SQLAlchemy 2", "rollback")]:
        with orm.Session(engine) as session:
            id = session.scalar(select(func.pushserve.enqueue("shop", cast(push(text), JSON))))
            session.execute(orders.insert().values(name=text, push=id))
            with session.begin_nested() as savepoint:
                session.scalar(select(func.pushserve.enqueue("shop", cast(push("in a savepoint"), JSON))))
                savepoint.rollback()
            getattr(session, ends)()
    engine.dispose()


def with_django():
    info = psycopg.conninfo.conninfo_to_dict(ADDRESS)
    settings.configure(DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "NAME": info["dbname"], "USER": info["user"], "PASSWORD": info.get("password", ""),
        "HOST": info["host"], "PORT": info["port"]}})
    django.setup()
    from django.db import connection, transaction

    def enqueue(text):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pushserve.enqueue('shop', %s)", [json.dumps(push(text))])
            return cursor.fetchone()[0]

    with transaction.atomic():
        id = enqueue("Django 1")
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO recipe_orders VALUES ('Django 1', %s)", [id])
        try:
            with transaction.atomic():
                enqueue("Django, nested")
                raise ValueError
        except ValueError:
            pass
    with transaction.atomic():
        enqueue("Django 2")
        transaction.set_rollback(True)


def main():
    with psycopg.connect(ADDRESS, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS recipe_orders")
        connection.execute("CREATE TABLE recipe_orders (name text PRIMARY KEY, push uuid)")
        for recipe in (with_psycopg, with_sqlalchemy, with_django):
            recipe()
        found = connection.execute(
            "SELECT i.push->'payload'->'aps'->>'alert', name FROM pushserve.inbox AS i FULL JOIN recipe_orders AS o ON i.id = o.push").fetchall()
        connection.execute("DROP TABLE recipe_orders")
    expected = [(text, text) for text in ("Django 1", "SQLAlchemy 1", "psycopg 1")]
    if sorted(found) != expected:
        sys.exit(f"error: the inbox has {found}.")
    print("3 recipes committed a push each, and what they rolled back is not in the inbox.")


main()
