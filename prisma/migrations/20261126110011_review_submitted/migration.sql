-- A published review is told by a todo.
ALTER TYPE "todo_action" ADD VALUE IF NOT EXISTS 'review_submitted';
