import { describe, expect, it } from 'vitest';
import { Prisma } from '#src/platform/database/db.ts';
import { StatementNames } from '#src/platform/database/statement_names.ts';
import { Budget, DEFAULT_BUDGET, within } from '#src/platform/limits/budget.ts';

describe('The names of statements', () => {
  it('are the same for the same text, and end at a limit', () => {
    const statements = new StatementNames({ all: 2, foreign: 1 });
    const names = ['a', 'b', 'a', 'c', 'b'].map((text) => statements.nameOf(text));
    expect(names).toEqual(['g0', 'g1', 'g0', '', 'g1']);
  });

  it('cannot be used up by what clients write', async () => {
    const statements = new StatementNames({ all: 5, foreign: 2 });
    using foreign = new Budget(DEFAULT_BUDGET, { isForeign: true });
    using own = new Budget(DEFAULT_BUDGET);
    const names = (budget: Budget, texts: string[]) =>
      within(budget, async () => texts.map((text) => statements.nameOf(text)));
    expect(await names(foreign, ['1', '2', '3', '4', '1'])).toEqual(['g0', 'g1', '', '', 'g0']);
    expect(await names(own, ['a', 'b', 'c', 'd', '3'])).toEqual(['g2', 'g3', 'g4', '', '']);
    // What has a name keeps it, whoever asks.
    expect(await names(foreign, ['a', '3'])).toEqual(['g2', '']);
  });

  it('are found again by the parts of a statement, whose values may be others', () => {
    const statements = new StatementNames();
    const { sql } = Prisma;
    const pick = (table: string, id: number) => sql`SELECT * FROM ${Prisma.raw(table)} WHERE ${sql`id = ${id}`} AND ok`;
    const { name, text } = statements.textOf(pick('a', 1));
    expect(text).toBe('SELECT * FROM a WHERE id = $1 AND ok');
    expect(statements.textOf(pick('a', 2))).toMatchObject({ name, text });
    expect(statements.nameOf(text)).toBe(name);
    // As long, and in as many parts.
    expect(statements.textOf(pick('b', 1))).toMatchObject({ name: 'g1', text: 'SELECT * FROM b WHERE id = $1 AND ok' });
    expect(statements.textOf(sql`${1} ${2}`).text).toBe('$1 $2');
  });

  it('stay away where there are too many, and the text is right all the same', () => {
    const statements = new StatementNames({ all: 1, foreign: 1 });
    statements.textOf(Prisma.sql`SELECT ${1}`);
    expect(statements.textOf(Prisma.sql`SELECT ${1}, 2`)).toMatchObject({ name: '', text: 'SELECT $1, 2' });
    expect(statements.textOf(Prisma.sql`SELECT ${1}, 3`)).toMatchObject({ name: '', text: 'SELECT $1, 3' });
  });

  it('are not given to very long texts, which clients could make', () => {
    const statements = new StatementNames({ longest: 10 });
    expect(['0123456789', '01234567890'].map((text) => statements.nameOf(text))).toEqual(['g0', '']);
  });
});
