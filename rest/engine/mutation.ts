import { type DefinitionNode, type DocumentNode, Kind, parse, visit } from 'graphql';
import type { Route } from '#rest/engine/route.ts';
import { documents } from '#src/generated/operations_documents.ts';

/**
 * The operation of a row whose response is one record, or nothing: a mutation that takes `$input` and selects no more than that.
 *
 * @param name of the operation, for the OpenAPI document and its clients
 * @param result the field of the mutation, and the one of its result that is the body
 * @param selected what is selected of that: `...LabelRecord`, a fragment of rest/v4/*.graphql, or a field
 * @param beside what is selected besides, next to the field of its result
 */
export function mutation(
  name: string,
  result: string,
  selected = '',
  beside = '',
): Pick<Route, 'operation' | 'result'> {
  const operation: DocumentNode = {
    kind: Kind.DOCUMENT,
    get definitions() {
      const value = definitionsOf(name, result.split('.'), selected, beside);
      Object.defineProperty(this, 'definitions', { value });
      return value;
    },
  };
  return { operation, result };
}

function definitionsOf(name: string, fields: readonly string[], selected: string, beside: string): DefinitionNode[] {
  const [field = '', ...inner] = fields;
  const input = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input!`;
  const selection = [...inner, selected]
    .filter((part) => part !== '')
    .reduceRight((within, part) => `${part} { ${within} }`);
  const body = `${field}(input: $input) { ${selection} ${beside} }`;
  const fragments = fragmentsIn(parsed(`{ ${body} }`));
  const variables = dependsOnRole(fragments) ? ', $administrator: Boolean! = false' : '';
  return [...parsed(`mutation ${name}($input: ${input}${variables}) { ${body} }`), ...fragments];
}

function parsed(text: string): readonly DefinitionNode[] {
  return parse(text, { noLocation: true }).definitions;
}

/** The fragments that an operation spreads, with those that they spread. */
function fragmentsIn([operation]: readonly DefinitionNode[]): DefinitionNode[] {
  const fragments = new Set<DefinitionNode>();
  visit(operation as DefinitionNode, {
    FragmentSpread({ name: { value } }) {
      for (const one of documents.get(`fragment ${value}`).definitions) fragments.add(one);
    },
  });
  return [...fragments];
}

/** Whether fragments have more for administrators. */
function dependsOnRole(fragments: readonly DefinitionNode[]): boolean {
  let found = false;
  for (const fragment of fragments) {
    visit(fragment, {
      Variable({ name: { value } }) {
        if (value === 'administrator') found = true;
      },
    });
  }
  return found;
}
