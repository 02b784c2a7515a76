import { describe, expect, it } from 'vitest';
import { Budget, DEFAULT_BUDGET, within } from '#src/platform/budget.ts';
import { statementNames } from '#src/platform/database/statement_names.ts';

describe('The names of statements', () => {
  it('are the same for the same text, and end at a limit', () => {
    const nameOf = statementNames({ all: 2, foreign: 1 });
    const names = ['a', 'b', 'a', 'c', 'b'].map((sql) => nameOf({ sql }));
    expect(names).toEqual(['g0', 'g1', 'g0', '', 'g1']);
  });

  it('cannot be used up by what clients write', async () => {
    const nameOf = statementNames({ all: 5, foreign: 2 });
    using foreign = new Budget(DEFAULT_BUDGET, { isForeign: true });
    using own = new Budget(DEFAULT_BUDGET);
    const names = (budget: Budget, texts: string[]) => within(budget, async () => texts.map((sql) => nameOf({ sql })));
    expect(await names(foreign, ['1', '2', '3', '4', '1'])).toEqual(['g0', 'g1', '', '', 'g0']);
    expect(await names(own, ['a', 'b', 'c', 'd', '3'])).toEqual(['g2', 'g3', 'g4', '', '']);
    // What has a name keeps it, whoever asks.
    expect(await names(foreign, ['a', '3'])).toEqual(['g2', '']);
  });
});
