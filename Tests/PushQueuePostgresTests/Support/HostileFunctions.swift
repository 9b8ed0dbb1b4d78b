import TestSupport

@testable import PushQueuePostgres

extension PostgresConnection {
    /// Creates functions and operators with the names of PostgreSQL's own and other types of arguments, in a schema of the path, as
    /// anybody can who may create something there. Each fails when it is called.
    func addHostileFunctions(to schema: String) throws {
        try execute(
            """
            DO $do$
            DECLARE
                types text[] := '{int4,int8,numeric,float8,text,name,oid,regclass,timestamptz,timestamp,interval,uuid,xid8,tid,json}';
                names text[] := '{obj_description,to_timestamp,to_char,translate,strpos,octet_length,isfinite,left,max,pg_has_role,
                    to_regclass,row_security_active,pg_snapshot_xmax,current_setting,substr,md5,clock_timestamp,json_build_object}';
                operators text[] := '{*,/,+,-,=,<>,<,>,<=,>=}';
                body text := 'LANGUAGE plpgsql AS $body$ BEGIN RAISE EXCEPTION ''a hostile function''; END $body$';
                number int := 0;
                result text;
                a text; b text; word text;
            BEGIN
                EXECUTE format('CREATE FUNCTION \(schema).json_build_object(text, text, text, json) RETURNS json %s', body);
                FOREACH a IN ARRAY types LOOP
                    FOREACH word IN ARRAY names LOOP
                        EXECUTE format('CREATE FUNCTION \(schema).%I(%s) RETURNS text %s', word, a, body);
                    END LOOP;
                    FOREACH b IN ARRAY types LOOP
                        FOREACH word IN ARRAY names LOOP
                            EXECUTE format('CREATE FUNCTION \(schema).%I(%s, %s) RETURNS text %s', word, a, b, body);
                        END LOOP;
                        FOREACH word IN ARRAY operators LOOP
                            number := number + 1;
                            result := CASE WHEN word = ANY ('{*,/,+,-}') THEN a ELSE 'bool' END;
                            EXECUTE format('CREATE FUNCTION \(schema).hostile_%s(%s, %s) RETURNS %s %s', number, a, b, result, body);
                            EXECUTE format('CREATE OPERATOR \(schema).%s (FUNCTION = \(schema).hostile_%s, LEFTARG = %s, RIGHTARG = %s)',
                                word, number, a, b);
                        END LOOP;
                    END LOOP;
                END LOOP;
            END $do$
            """)
    }
}
