import { type GraphQLSchema, isEnumType } from 'graphql';

/**
 * A word or number that no value of an enum stands for. The REST API hands it on where the domain refuses it in the words of the
 * contract, after what is to be refused before. JSON cannot make one of these.
 */
export class UnknownWord {
  readonly word: string | number;

  constructor(word: string | number) {
    this.word = word;
  }
}

/** Lets unknown words pass to the domain. */
export function admitUnknownWords(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type)) continue;
    const coerce = type.coerceInputValue.bind(type);
    type.coerceInputValue = (value, hideSuggestions) =>
      value instanceof UnknownWord ? value.word : coerce(value, hideSuggestions);
  }
  return schema;
}
