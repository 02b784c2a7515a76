/** Which part of a list is wanted. */
export interface PageRequest {
  /** How many records at most. */
  limit: number;
  /** How many to pass over first. */
  offset: number;
  /** Whether the total is wanted too. */
  withTotal: boolean;
}

/** A part of a list. */
export interface Page<T> {
  nodes: T[];
  offset: number;
  /** How many there are in all, as far as the actor may see; null when not asked for. */
  total: number | null;
}

/** The part of a list that is at hand as a whole. */
export function pageOf<T>(list: readonly T[], { limit, offset }: PageRequest): Page<T> {
  return { nodes: list.slice(offset, offset + limit), offset, total: list.length };
}

export type Direction = 'asc' | 'desc';
