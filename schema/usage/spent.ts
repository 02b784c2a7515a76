import type { BudgetState } from '#src/platform/limits/hourly_budget.ts';

/** What an operation takes of the budget of its hour, and what is left. */
export interface Spent extends BudgetState {
  cost: number;
}
