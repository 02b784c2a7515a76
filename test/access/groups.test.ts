import { groupRules } from './group-rules.ts';
import { provePlaces } from './places.ts';

await provePlaces(groupRules);
