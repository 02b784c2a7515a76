import { type GraphQLSchema, isEnumType } from 'graphql';

/**
 * A word or number that is no value of an enum. The REST API passes it on where the domain rejects it with the contract's
 * message, after earlier checks. JSON cannot produce one.
 */
export class UnknownWord {
  readonly word: string | number;

  constructor(word: string | number) {
    this.word = word;
  }
}

/** Lets unknown enum values pass to the domain. */
export function admitUnknownWords(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type)) continue;
    const coerce = type.coerceInputValue.bind(type);
    type.coerceInputValue = (value, hideSuggestions) =>
      value instanceof UnknownWord ? value.word : coerce(value, hideSuggestions);
  }
  return schema;
}
