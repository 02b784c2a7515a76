import { hashQuickly } from './password_cost.ts';

// Runs before each file of tests, as a worker keeps what an earlier file left.
hashQuickly();
