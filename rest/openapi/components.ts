import type { GraphQLEnumType } from 'graphql';
import { isNumeric } from '#rest/engine/coerce.ts';
import { inRestWords } from '#rest/openapi/words.ts';

/** A JSON Schema, or another part of the OpenAPI document. */
export type Json = Record<string, unknown>;

/** The shared schemas of the document: records, enums and request bodies. */
export class Components {
  readonly #schemas = new Map<string, Json>();

  /** Returns a reference to the schema under the name, numbered if another schema has that name already. */
  refer(name: string, schema: Json): Json {
    const text = JSON.stringify(schema);
    for (let number = 1; ; number += 1) {
      const key = number === 1 ? name : `${name}${number}`;
      const known = this.#schemas.get(key);
      if (known === undefined) this.#schemas.set(key, schema);
      if (known === undefined || JSON.stringify(known) === text) return { $ref: `#/components/schemas/${key}` };
    }
  }

  /** Returns a reference to the values of an enum in this API. */
  enum(type: GraphQLEnumType): Json {
    // Of names for one value the last is the one of answers.
    const values = [...new Map(type.getValues().map((one) => [one.value, one])).values()];
    if (isNumeric(type)) values.sort((a, b) => a.value - b.value);
    const words = values.map(({ value }) => value);
    const meanings = values.map(({ value, description }) => `- \`${value}\`: ${inRestWords(description ?? '')}`);
    const description = `${inRestWords(type.description ?? '')}\n\n${meanings.join('\n')}`;
    const schema = { type: isNumeric(type) ? 'integer' : 'string', enum: words, description };
    return this.refer(type.name, schema);
  }

  /** All of them, sorted by name. */
  all(): Record<string, Json> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
