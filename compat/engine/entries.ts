import { type FieldNode, Kind, parse, type SelectionNode, visit } from 'graphql';
import { gidOf } from '#compat/engine/global_id.ts';
import {
  type Choice,
  type CoreArgs,
  type Entries,
  type Entry,
  type Given,
  keep,
  type Named,
  type Row,
  type Table,
  viewOf,
} from '#compat/engine/table.ts';

/** The value of a field of the core record, under its own name or another. */
export function name(field: string): Entry {
  return { same: field, select: (site) => [site.call(field)], shape: () => (row) => row[field] };
}

/** Fields of the core record with the same names. */
export function names(...fields: string[]): Entries {
  return Object.fromEntries(fields.map((field) => [field, name(field)]));
}

/** A value made of one field of the core record; null stays null. */
export function of<Value>(field: string, make: (value: Value) => unknown): Entry {
  return {
    select: (site) => [site.call(field)],
    shape: () => (row) => (row[field] == null ? null : make(row[field] as Value)),
  };
}

/**
 * A value made of what a selection reads of the core record: `references { full short }`. Fields with arguments need an alias that
 * begins with an underscore, by which nothing else is selected.
 */
export function from<Value = Row>(selection: string, make: (row: Value, given: Given) => unknown): Entry {
  const selections = selectionsOf(selection);
  return {
    select: () => selections,
    shape: (site) => (row, run) => make(row as Value, run.given(site)),
  };
}

/** A global ID of a class, from the number of the record; or of a class that depends on the record. */
export function gid(className: string): Entry {
  return of<number>('databaseId', (id) => gidOf(className, id));
}

/** A value that is the same for every record; or that follows from the arguments alone. */
export function constant(value: unknown | ((given: Given) => unknown)): Entry {
  const make = typeof value === 'function' ? (value as (given: Given) => unknown) : () => value;
  return { select: () => [], shape: (site) => (_row, run) => make(run.given(site)) };
}

/** A record in a field of the core record. */
export function object(field: string, view: Named, args: CoreArgs | null = null): Entry {
  return {
    select: (site) => [site.call(field, args, site.inside(viewOf(view)))],
    shape: (site) => {
      const key = site.keyOf(field, args);
      const inner = site.object(viewOf(view));
      return (row, run) => (row[key] == null ? null : inner(row[key] as Row, run));
    },
  };
}

/** A record in a field of the core record that may be of several types there, each with its view; null where it is of another one. */
export function objectOn(field: string, byCore: Readonly<Record<string, Named>>): Entry {
  const views = Object.entries(byCore);
  return {
    select: (site) => {
      const fragments = views.map(([core, view]): SelectionNode => {
        const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: core } } as const;
        const selectionSet = { kind: Kind.SELECTION_SET, selections: site.inside(viewOf(view)) } as const;
        return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet };
      });
      return [site.call(field, null, [...selectionsOf('__typename'), ...fragments])];
    },
    shape: (site) => {
      const shapes = new Map(views.map(([core, view]) => [core, site.object(viewOf(view))]));
      return (row, run) => {
        const found = row[field] as Row | null | undefined;
        return found && shapes.get(String(found.__typename))?.(found, run);
      };
    },
  };
}

/** A list in a field of the core record, as a list. */
export function list(field: string, view: Named, args: CoreArgs | null = null): Entry {
  const one = object(field, view, args);
  return {
    select: one.select,
    shape: (site) => {
      const key = site.keyOf(field, args);
      const inner = site.object(viewOf(view));
      return (row, run) => (row[key] as Row[] | null | undefined)?.map((each) => inner(each, run));
    },
  };
}

/** The same record under another type: `userPermissions`. */
export function same(view: Named): Entry {
  return { select: (site) => site.inside(viewOf(view)), shape: (site) => site.object(viewOf(view)) };
}

/** The same record under another type, where a condition on it holds; null elsewhere. */
export function sameIf(selection: string, holds: (row: Row) => boolean, view: Named): Entry {
  const selections = selectionsOf(selection);
  return {
    select: (site) => [...selections, ...site.inside(viewOf(view))],
    shape: (site) => {
      const inner = site.object(viewOf(view));
      return (row, run) => (holds(row) ? inner(row, run) : null);
    },
  };
}

/** The record with an ID of the core graph, of one of its types: `node(id:)`. */
export function node(core: string, view: Named, id: (given: Given) => string): Entry {
  const args: CoreArgs = { id };
  return {
    select: (site) => {
      const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: core } } as const;
      const selectionSet = { kind: Kind.SELECTION_SET, selections: site.inside(viewOf(view)) } as const;
      return [site.call('node', args, [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet }])];
    },
    shape: (site) => {
      const key = site.keyOf('node', args);
      const inner = site.object(viewOf(view));
      return (row, run) => (row[key] == null ? null : inner(row[key] as Row, run));
    },
  };
}

/** One of several places of the core record where the object may be, each with its own table; the first that is there. */
export function firstOf(
  places: readonly { field: string; args: CoreArgs; view: Named; when?: (given: Given) => boolean }[],
): Entry {
  return {
    select: (site) =>
      places.map(({ field, args, view, when }) => {
        const call = site.call(field, args, site.inside(viewOf(view)));
        return when ? site.when(when, field, [call]) : call;
      }),
    shape: (site) => {
      const made = places.map(({ field, args, view }) => ({
        key: site.keyOf(field, args),
        inner: site.object(viewOf(view)),
      }));
      return (row, run) => {
        const found = made.find(({ key }) => row[key] != null);
        return found ? found.inner(row[found.key] as Row, run) : null;
      };
    },
  };
}

/** An object of an interface whose type the record tells. */
export function choice(key: string, views: readonly string[], needs: string, typeOf: (row: Row) => string): Choice {
  return keep(key, {
    // Tables that are named later are there when a document is translated.
    get tables() {
      return views.map((one) => viewOf(one) as Table);
    },
    needs: selectionsOf(needs),
    typeOf,
  });
}

/** Fields as they are of a record in a field of the core record. */
export function through(field: string, core: string, entries: Entries): Entries {
  const lifted = Object.entries(entries).map(([key, entry]): [string, Entry] => [
    key,
    {
      select: (site) => {
        const inner = entry.select(site.of(core));
        return inner.length > 0 ? [site.call(field, null, inner)] : [];
      },
      shape: (site) => {
        const inner = entry.shape(site.of(core));
        return (row, run) => inner((row[field] ?? {}) as Row, run);
      },
    },
  ]);
  return Object.fromEntries(lifted);
}

/** Parses what a table reads of a record. Throws an Error where a field with arguments has no alias of its own. */
export function selectionsOf(text: string): readonly SelectionNode[] {
  const [definition] = parse(`{ ${text} }`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`${text} is no selection`);
  visit(definition, {
    Field({ alias, arguments: given = [], name: { value } }: FieldNode) {
      if (given.length > 0 !== (alias?.value.startsWith('_') ?? false)) {
        throw new Error(`${value} in ${text} needs an alias that begins with an underscore`);
      }
    },
  });
  return definition.selectionSet.selections;
}

/** The table of a type as a view of a type of the core graph. @param variant where a type has several */
export function type(typeName: string, core: string, fields: Entries, variant?: string): Table {
  return keep(variant ? `${typeName}/${variant}` : typeName, { type: typeName, core, fields });
}
