import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, Kind, parse, visit } from 'graphql';
import { packagePath } from '#src/platform/package_root.ts';

/** A definition begins a line with its keyword; what belongs to it is indented. */
const BEGINNING = /^(?=(?:query|mutation|subscription|fragment) )/m;
const NAME = /^(?:(fragment )|\w+ )(\w+)/;

interface Definition {
  readonly node: DefinitionNode;
  /** The fragments that it spreads: `fragment Name`. */
  readonly spreads: readonly string[];
}

/**
 * The operations in the `.graphql` files of a folder, each with the fragments that it needs. The texts are read at once, as the
 * files may be replaced while the server runs; a definition is parsed when a document with it is first looked at, and then shared.
 */
export class FacadeDocuments {
  /** By the names of operations, and `fragment Name`: both kinds may use a name. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #parsed = new Map<string, Definition>();

  /** @param folder relative to the root of the package: `rest/v4` */
  constructor(folder: string) {
    const directory = packagePath(folder);
    const files = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
    const texts = files.flatMap((file) => readFileSync(path.join(directory, file), 'utf8').split(BEGINNING));
    this.#texts = new Map(texts.map((text) => [nameOf(text), text]));
  }

  /** The document of an operation. Reading its definitions throws an Error where there is no operation of this name. */
  get<Data, Variables>(name: string): TypedDocumentNode<Data, Variables> {
    const definitionsOf = () => this.#definitionsOf(name);
    return {
      kind: Kind.DOCUMENT,
      get definitions() {
        const value = definitionsOf();
        Object.defineProperty(this, 'definitions', { value });
        return value;
      },
    };
  }

  /** The operation, and all fragments that it needs. */
  #definitionsOf(operation: string): DefinitionNode[] {
    const names = new Set([operation]);
    const definitions: DefinitionNode[] = [];
    for (const name of names) {
      const { node, spreads } = this.#definition(name);
      definitions.push(node);
      for (const spread of spreads) names.add(spread);
    }
    return definitions;
  }

  #definition(name: string): Definition {
    const known = this.#parsed.get(name);
    if (known) return known;
    const text = this.#texts.get(name);
    if (text === undefined) throw new Error(`There is no ${name} in the documents`);
    const document = parse(text, { noLocation: true });
    const spreads: string[] = [];
    visit(document, { FragmentSpread: (spread) => void spreads.push(`fragment ${spread.name.value}`) });
    const [node] = document.definitions as [DefinitionNode];
    const definition = { node, spreads };
    this.#parsed.set(name, definition);
    return definition;
  }
}

function nameOf(text: string): string {
  const [, fragment = '', name = ''] = NAME.exec(text) ?? [];
  return fragment + name;
}
