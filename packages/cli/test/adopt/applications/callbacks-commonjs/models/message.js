var mongoose = require('mongoose');

var messageSchema = mongoose.Schema({
  text: { type: String, required: true, maxlength: 500 },
  author: { type: mongoose.Schema.Types.ObjectId, ref: 'Account' },
  created: { type: Date, default: Date.now }
});

module.exports = mongoose.model('Message', messageSchema);
