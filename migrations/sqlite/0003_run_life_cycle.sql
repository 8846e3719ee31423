ALTER TABLE `configuration_versions` ADD `may_auto_apply` integer;--> statement-breakpoint
ALTER TABLE `phases` ADD `errored_state_blob_key` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `may_auto_apply` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `invoke_action_addrs` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `policy_paths` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `engine` text DEFAULT 'terraform' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `engine` text DEFAULT 'terraform' NOT NULL;